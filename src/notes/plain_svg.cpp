#include "notes/plain_svg.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "notes/svg_parts.h"

namespace labreport {
namespace {

/// Thrown at the first thing that is not known to draw and do nothing else.
class NotPlain : public Error {
 public:
  using Error::Error;
};

constexpr std::size_t kMostShown = 60;

/// What `&…;` stands for; beyond ASCII any letter serves, since none is looked for.
char meant_by(std::string_view reference) {
  constexpr std::pair<std::string_view, char> kNamed[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [name, letter] : kNamed) {
    if (reference == name) return letter;
  }
  if (!reference.starts_with('#')) throw NotPlain("an entity of its own");
  reference.remove_prefix(1);
  const bool hexadecimal = reference.starts_with('x');
  if (hexadecimal) reference.remove_prefix(1);
  unsigned value = 0;
  const std::string digits(reference);
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, hexadecimal ? 16 : 10);
  if (error != std::errc() || stop != end || value == 0) throw NotPlain("a broken reference &#…;");
  return value < 0x80 ? static_cast<char>(value) : '\xFF';
}

bool begins_svg_name(char letter) { return is_alpha(letter) || letter == '_'; }

bool is_in_svg_name(char letter) {
  return is_alnum(letter) || std::string_view("_-.:").find(letter) != std::string_view::npos;
}

/// A name in a message.
std::string shown_name(std::string_view name) { return std::string(name.substr(0, kMostShown)); }

/// With `&lt;` and `&#60;` as "<". Throws `NotPlain` for entities that are not XML's own; letters
/// beyond ASCII become some byte that is none of it, since nothing looks for them.
std::string svg_unescaped(std::string_view text) {
  std::string meant;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '&') {
      meant += text[at++];
      continue;
    }
    const std::size_t end = text.find(';', at);
    if (end == text.npos || end - at > 12) throw NotPlain("an & that stands for nothing");
    meant += meant_by(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return meant;
}

constexpr std::size_t kDeepest = 500;
constexpr std::string_view kBlanks = " \t\r\n";

/// Throws `NotPlain` at the first thing that it does not know.
class SvgScan {
 public:
  explicit SvgScan(std::string_view text) : text_(text) {}

  void document() {
    skip("\xEF\xBB\xBF");
    declaration();
    while (at_ < text_.size()) piece();
    if (!root_ || !open_.empty()) throw NotPlain("its end before it is whole");
  }

  std::size_t line() const {
    return 1 + static_cast<std::size_t>(std::ranges::count(text_.substr(0, at_), '\n'));
  }

 private:
  bool follows(std::string_view words) const { return text_.substr(at_).starts_with(words); }

  bool skip(std::string_view words) {
    if (!follows(words)) return false;
    at_ += words.size();
    return true;
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

  /// Up to `end`, which is passed over.
  std::string_view until(std::string_view end, const char* what) {
    const std::size_t found = text_.find(end, at_);
    if (found == text_.npos) throw NotPlain(std::string(what) + " without an end");
    const std::string_view between = text_.substr(at_, found - at_);
    at_ = found + end.size();
    return between;
  }

  std::string name() {
    const std::size_t begin = at_;
    if (at_ < text_.size() && begins_svg_name(text_[at_])) {
      while (at_ < text_.size() && is_in_svg_name(text_[at_])) ++at_;
    }
    if (at_ == begin) throw NotPlain("a < or a tag that cannot be read");
    return std::string(text_.substr(begin, at_ - begin));
  }

  void declaration() {
    if (!follows("<?xml ")) return;
    const std::string words = lower(std::string(until("?>", "<?xml")));
    const std::size_t encoding = words.find("encoding");
    const bool utf8 = encoding == words.npos || words.find("utf-8", encoding) != words.npos;
    if (!utf8) throw NotPlain("an encoding other than UTF-8");
  }

  void piece() {
    if (skip("<!--")) {
      until("-->", "a comment");
    } else if (skip("<![CDATA[")) {
      add_text(std::string(until("]]>", "CDATA")));
    } else if (skip("<!DOCTYPE")) {
      document_type();
    } else if (follows("<!") || follows("<?")) {
      throw NotPlain("a declaration or an instruction");
    } else if (skip("</")) {
      end_tag();
    } else if (skip("<")) {
      start_tag();
    } else {
      const std::size_t end = std::min(text_.find('<', at_), text_.size());
      add_text(svg_unescaped(text_.substr(at_, end - at_)));
      at_ = end;
    }
  }

  /// Only the name of the format, which programs write and browsers do not fetch.
  void document_type() {
    const std::string_view words = until(">", "a DOCTYPE");
    const std::size_t kind = words.find_first_not_of(kBlanks);
    const bool bare = kind != words.npos && words.substr(kind) == "svg";
    const bool published = kind != words.npos &&
                           words.substr(kind).starts_with("svg PUBLIC \"-//W3C//DTD SVG ") &&
                           words.find("\"http://www.w3.org/Graphics/SVG/") != words.npos &&
                           words.find('[') == words.npos;
    if (root_ || (!bare && !published)) throw NotPlain("a DOCTYPE that is not SVG's");
  }

  void start_tag() {
    const std::string tag = name();
    if (in_style()) throw NotPlain("an element within a style");
    if (open_.size() == kDeepest) throw NotPlain("elements that nest too deeply");
    check_element(tag);
    for (;;) {
      const std::size_t before = at_;
      skip_blanks();
      if (skip("/>")) return;
      if (skip(">")) break;
      if (at_ == before) throw NotPlain("a tag that cannot be read");
      attribute(tag);
    }
    open_.push_back(tag);
  }

  void check_element(const std::string& tag) {
    const SvgSpace space = svg_space(svg_prefix(tag));
    const bool known =
        space == SvgSpace::kInert || (space == SvgSpace::kSvg && is_svg_element(svg_local(tag)));
    if (!known) throw NotPlain("the element " + shown_name(tag));
    if (root_ && open_.empty()) throw NotPlain("a second picture behind the first");
    if (!root_ && svg_local(tag) != "svg") throw NotPlain("no <svg> around it");
    root_ = true;
  }

  void attribute(const std::string& tag) {
    const std::string key = name();
    skip_blanks();
    if (!skip("=")) throw NotPlain("the attribute " + shown_name(key) + " without a value");
    skip_blanks();
    const bool single = follows("'");
    if (!single && !follows("\"")) throw NotPlain("a value without quotes");
    ++at_;
    const std::string_view raw = until(single ? "'" : "\"", "a value");
    if (raw.find('<') != raw.npos) throw NotPlain("a < within a value");
    check_attribute(tag, key, svg_unescaped(raw));
  }

  static void check_attribute(const std::string& tag, const std::string& key,
                              const std::string& value) {
    const std::string what = "the attribute " + shown_name(key);
    if (key == "xmlns" || svg_prefix(key) == "xmlns") {
      const bool known = is_svg_name_space(key == "xmlns" ? "" : svg_local(key), value);
      if (!known) throw NotPlain(what + ", which names an unknown kind of elements");
      return;
    }
    if (lower(std::string(svg_local(key))).starts_with("on"))
      throw NotPlain(what + ", which can run");
    const bool inert = is_inert(tag) || is_inert(key);
    if (inert || is_svg_prose(key)) return;
    if (!is_svg_attribute(key)) throw NotPlain(what);
    if (svg_local(key) == "href") {
      const bool picture = svg_local(tag) == "image" || svg_local(tag) == "feImage";
      const bool within = is_svg_reference(value) && (picture || value.starts_with('#'));
      if (!within) throw NotPlain(what + " to something outside of it");
      return;
    }
    const std::string problem = svg_style_problem(value);
    if (!problem.empty()) throw NotPlain(problem);
  }

  static bool is_inert(std::string_view name) {
    const std::string_view prefix = svg_prefix(name);
    return prefix != "xlink" && prefix != "xml" && svg_space(prefix) == SvgSpace::kInert;
  }

  void end_tag() {
    const std::string tag = name();
    skip_blanks();
    if (!skip(">") || open_.empty() || open_.back() != tag)
      throw NotPlain("a tag that ends nothing");
    if (in_style()) {
      const std::string problem = svg_style_problem(style_);
      if (!problem.empty()) throw NotPlain(problem);
      style_.clear();
    }
    open_.pop_back();
  }

  bool in_style() const { return !open_.empty() && svg_local(open_.back()) == "style"; }

  void add_text(const std::string& words) {
    if (in_style()) style_ += words;
    const bool outside = open_.empty() && words.find_first_not_of(kBlanks) != words.npos;
    if (outside) throw NotPlain("words outside of the picture");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool root_ = false;
  std::vector<std::string> open_;
  std::string style_;
};

}  // namespace

std::optional<SvgProblem> svg_problem(std::string_view svg) {
  if (!is_utf8(svg) || svg.find('\0') != svg.npos) return SvgProblem{1, "bytes that are no UTF-8"};
  SvgScan scan(svg);
  try {
    scan.document();
  } catch (const NotPlain& problem) {
    return SvgProblem{scan.line(), problem.what()};
  }
  return std::nullopt;
}

}  // namespace labreport
