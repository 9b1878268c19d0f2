#include "writers/latex/latex_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "writers/latex/latex_signs.h"

namespace labreport {
namespace {

constexpr char32_t kNoCharacter = 0xfffd;
/// A word that is longer may break behind its signs.
constexpr std::size_t kUnbrokenWord = 12;
/// A stretch without such a sign that no line need hold: it may break anywhere.
constexpr std::size_t kLongStretch = 20;
constexpr std::size_t kLongestTitle = 400;
constexpr std::string_view kBreak = "\\allowbreak{}";

std::string ascii(char sign) {
  switch (sign) {
    case '\\':
      return "\\textbackslash{}";
    case '^':
      return "\\textasciicircum{}";
    case '~':
      return "\\textasciitilde{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '"':
      return "\\textquotedbl{}";
    case '`':
      return "\\textasciigrave{}";
    case '{':
    case '}':
    case '$':
    case '&':
    case '#':
    case '_':
    case '%':
      return std::string("\\") + sign;
    // Behind a command one could be an option.
    case '[':
    case ']':
      return std::string("{") + sign + "}";
    default:
      return std::string(1, sign);
  }
}

/// "[U+1F600]": what no font of TeX's has, named where it stood.
std::string code_point(char32_t sign) {
  return fmt::format("\\texttt{{{{[}}U+{:04X}{{]}}}}\\allowbreak{{}}",
                     static_cast<std::uint32_t>(sign));
}

std::string one(char32_t sign) {
  if (sign >= 0x20 && sign < 0x7f) return ascii(static_cast<char>(sign));
  const std::string known = sign < 0x7f ? "" : latex_sign(sign);
  return known.empty() ? code_point(sign) : known;
}

bool is_blank_sign(char32_t sign) {
  return sign == ' ' || sign == '\n' || sign == '\t' || sign == '\r';
}

/// Writes words one after the other; each may break where it is too long for a line.
class Words {
 public:
  explicit Words(std::string_view space) : space_(space) {}

  void add(char32_t sign) {
    if (is_blank_sign(sign)) return end(space_);
    signs_.push_back(sign);
  }

  std::string text() {
    end("");
    return std::move(text_);
  }

 private:
  void end(std::string_view space) {
    std::size_t stretch = 0;  // Signs since the last break.
    for (std::size_t i = 0; i < signs_.size(); ++i) {
      text_ += one(signs_[i]);
      ++stretch;
      if (i + 1 < signs_.size() && (may_break_after(i) || stretch >= kLongStretch)) {
        text_ += kBreak;
        stretch = 0;
      } else if (joins_next(i)) {
        text_ += "{}";
      }
      // TeX reads a line into a buffer of its own.
      if (i % 256 == 255) text_ += "%\n";
    }
    signs_.clear();
    text_ += space;
  }

  /// Two of these in a row would be one other sign.
  bool joins_next(std::size_t i) const {
    return std::u32string_view(U"-',").find(signs_[i]) != std::u32string_view::npos &&
           i + 1 < signs_.size() && signs_[i + 1] == signs_[i];
  }

  bool may_break_after(std::size_t i) const {
    constexpr std::u32string_view kSigns = U"/_.,:;=-|+<";
    if (signs_.size() <= kUnbrokenWord || kSigns.find(signs_[i]) == kSigns.npos) return false;
    return signs_[i] != signs_[i + 1];  // "::" and "--" stay whole.
  }

  std::string_view space_;
  std::u32string signs_;
  std::string text_;
};

std::string words(std::string_view text, std::string_view space) {
  Words written(space);
  while (!text.empty()) written.add(take_character(text));
  return written.text();
}

}  // namespace

char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  const std::size_t size = first < 0x80             ? 1
                           : (first & 0xe0) == 0xc0 ? 2
                           : (first & 0xf0) == 0xe0 ? 3
                           : (first & 0xf8) == 0xf0 ? 4
                                                    : 0;
  char32_t sign = size == 1 ? first : first & (0x7fu >> size);
  bool whole = size > 0 && size <= text.size();
  for (std::size_t i = 1; whole && i < size; ++i) {
    whole = (byte(i) & 0xc0) == 0x80;
    sign = (sign << 6) | (byte(i) & 0x3f);
  }
  text.remove_prefix(whole ? size : 1);
  return whole ? sign : kNoCharacter;
}

std::string latex_text(std::string_view text) { return words(text, " "); }

std::string latex_title(std::string_view text) {
  std::string_view rest = text;
  for (std::size_t i = 0; i < kLongestTitle && !rest.empty(); ++i) take_character(rest);
  if (rest.empty()) return latex_text(text);
  return latex_text(text.substr(0, text.size() - rest.size())) + "\\textellipsis{}";
}

std::string latex_code(std::string_view text) {
  return "\\texttt{" + words(text, "\\ \\allowbreak{}") + "}";
}

std::string latex_listing(std::string_view text) {
  std::string listing = "\\begin{quote}\\small\\raggedright\n";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    listing += "\\mbox{}" + latex_code(text.substr(0, end)) + "\\\\\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return listing + "\\end{quote}\n";
}

}  // namespace labreport
