#include "report/typst_text.h"

#include <algorithm>
#include <array>

#include "report/unbroken.h"

namespace labreport {
namespace {

// Longer than any word of a language, shorter than a narrow line.
constexpr std::size_t kLongestWord = 32;
constexpr std::string_view kMayBreak = "\u200b";

constexpr std::array<std::string_view, 12> kDirections = {"\u061c", "\u200e", "\u200f", "\u202a",
                                                          "\u202b", "\u202c", "\u202d", "\u202e",
                                                          "\u2066", "\u2067", "\u2068", "\u2069"};

std::size_t direction_mark(std::string_view text) {
  const auto found = std::ranges::find_if(
      kDirections, [text](std::string_view mark) { return text.starts_with(mark); });
  return found == kDirections.end() ? 0 : found->size();
}

bool is_control(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x20 || lead == 0x7F) return true;
  const bool c1 = lead == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  return c1;
}

/// Without what no reader should meet.
std::string visible(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    std::size_t taken = 1;
    if (const std::size_t mark = direction_mark(text)) {
      taken = mark;
    } else if (std::string_view("\n\r\t").find(text.front()) != std::string_view::npos) {
      shown.push_back(' ');
    } else if (is_control(text)) {
      taken = static_cast<unsigned char>(text.front()) == 0xC2 ? 2 : 1;
    } else {
      shown.push_back(text.front());
    }
    text.remove_prefix(taken);
  }
  return shown;
}

bool continues_character(char byte) { return (byte & 0xC0) == 0x80; }

std::string with_breaks(std::string_view text) {
  std::string broken;
  std::size_t length = 0;
  for (const char letter : text) {
    if (letter == ' ') length = 0;
    if (length >= kLongestWord && !continues_character(letter)) {
      broken += kMayBreak;
      length = 0;
    }
    broken.push_back(letter);
    if (letter != ' ' && !continues_character(letter)) ++length;
  }
  return broken;
}

std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') literal.push_back('\\');
    literal.push_back(letter);
  }
  return literal + "\"";
}

}  // namespace

std::string typst_string(std::string_view text) { return quoted(visible(text)); }

std::string typst_text(std::string_view text) {
  if (text.empty()) return "";
  return "#" + quoted(with_breaks(keep_numbers_whole(visible(text)))) + ";";
}

std::string typst_code(std::string_view text) {
  return "#raw(" + quoted(with_breaks(visible(text))) + ");";
}

}  // namespace labreport
