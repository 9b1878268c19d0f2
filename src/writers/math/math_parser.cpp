#include <algorithm>

#include "writers/math/math.h"
#include "writers/math/math_cursor.h"
#include "writers/math/math_symbols.h"

namespace labreport {
namespace {

using Kind = MathNode::Kind;

constexpr int kDeepestGroup = 32;

MathNode node(Kind kind, std::string text, std::vector<MathNode> children = {}) {
  return {kind, std::move(text), std::move(children), "", false};
}

/// Reads left to right; throws `OutsideSubset` at the first thing it does not know.
class Parser : private MathCursor {
 public:
  using MathCursor::MathCursor;

  MathNode formula() {
    MathNode math = row("");
    if (!done()) throw OutsideSubset();
    return math;
  }

 private:
  /// Until `end`, which is left standing; to the end of all where it is empty.
  MathNode row(std::string_view end) {
    if (++depth_ > kDeepestGroup) throw OutsideSubset();
    MathNode math;
    for (skip_spaces(); !done() && (end.empty() || !starts(end)); skip_spaces()) {
      math.children.push_back(with_scripts(script_follows() ? MathNode() : atom()));
    }
    --depth_;
    return math;
  }

  bool script_follows() const { return next() == '_' || next() == '^' || next() == '\''; }

  MathNode with_scripts(MathNode base) {
    skip_spaces();
    if (!script_follows()) return base;
    MathNode below;
    MathNode above = primes();
    bool lowered = false;
    bool raised = false;
    for (skip_spaces(); next() == '_' || next() == '^'; skip_spaces()) {
      const bool lower = next() == '_';
      if (lower ? lowered : raised) throw OutsideSubset();
      (lower ? lowered : raised) = true;
      ++at_;
      (lower ? below : above).children.push_back(argument());
    }
    if (next() == '\'') throw OutsideSubset();  // TeX calls it a double superscript
    const bool limits = base.limits;
    MathNode scripts =
        node(Kind::kScripts, "", {std::move(base), std::move(below), std::move(above)});
    scripts.limits = limits;
    return scripts;
  }

  MathNode primes() {
    MathNode above;
    for (; next() == '\''; ++at_) above.children.push_back(node(Kind::kOperator, "′"));
    return above;
  }

  /// What a command or a script takes: a group, a character, a symbol or a styled word.
  MathNode argument() {
    skip_spaces();
    if (next() == '{') return group();
    if (next() != '\\') return character(false);
    const std::string_view name = command();
    if (auto symbol = math_symbol(name)) return *symbol;
    if (auto word = styled_word(name)) return *word;
    throw OutsideSubset();
  }

  MathNode group() {
    expect("{");
    MathNode inside = row("}");
    expect("}");
    return inside;
  }

  MathNode atom() {
    if (next() == '{') return group();
    if (next() != '\\') return character(true);
    const std::string_view name = command();
    if (auto symbol = math_symbol(name)) return *symbol;
    if (auto word = styled_word(name)) return *word;
    if (is_math_accent(name)) return node(Kind::kAccent, std::string(name), {argument()});
    if (name == "frac" || name == "tfrac" || name == "dfrac") return fraction();
    if (name == "sqrt") return root();
    if (name == "left") return fenced();
    throw OutsideSubset();
  }

  /// Digits and decimals are one number, except as an argument: \frac12.
  MathNode character(bool whole_number) {
    if (done()) throw OutsideSubset();
    if (next() == '~') {
      ++at_;
      return node(Kind::kSpace, "0.25");
    }
    if (whole_number && is_digit(next())) return number();
    std::size_t length = 1;
    while (at_ + length < tex_.size() && (tex_[at_ + length] & 0xC0) == 0x80) ++length;
    const auto found = math_character(tex_.substr(at_, length));
    if (!found) throw OutsideSubset();
    at_ += length;
    return *found;
  }

  MathNode number() {
    const std::size_t begin = at_;
    while (is_digit(next())) ++at_;
    if (next() == '.' && at_ + 1 < tex_.size() && is_digit(tex_[at_ + 1])) {
      ++at_;
      while (is_digit(next())) ++at_;
    }
    return node(Kind::kNumber, std::string(tex_.substr(begin, at_ - begin)));
  }

  /// Behind its backslash: letters, or one other character.
  std::string_view command() {
    const std::size_t begin = ++at_;
    while (is_letter(next())) ++at_;
    if (at_ == begin && !done()) ++at_;
    return tex_.substr(begin, at_ - begin);
  }

  std::optional<MathNode> styled_word(std::string_view name) {
    if (name == "text") return node(Kind::kText, words());
    if (name == "mathrm") return node(Kind::kUpright, words());
    if (name == "operatorname") return node(Kind::kFunction, words());
    if (!styled_letter(name, 'A')) return {};
    MathNode styled;
    for (const char letter : words()) {
      const auto found = styled_letter(name, letter);
      if (!found) throw OutsideSubset();
      styled.children.push_back(node(Kind::kLetter, *found));
    }
    return styled;
  }

  /// Text in braces that means nothing else to TeX.
  std::string words() {
    expect("{");
    const std::size_t end = tex_.find('}', at_);
    if (end == tex_.npos) throw OutsideSubset();
    const std::string_view inside = tex_.substr(at_, end - at_);
    const bool special = inside.find_first_of("\\{$%#&_^~") != inside.npos;
    const bool control =
        std::ranges::any_of(inside, [](unsigned char letter) { return letter < 0x20; });
    if (inside.empty() || special || control) throw OutsideSubset();
    at_ = end + 1;
    return std::string(inside);
  }

  MathNode fraction() {
    MathNode above = argument();
    MathNode below = argument();
    return node(Kind::kFraction, "", {std::move(above), std::move(below)});
  }

  MathNode root() {
    std::vector<MathNode> parts;
    skip_spaces();
    if (next() == '[') {
      ++at_;
      parts.push_back(row("]"));
      expect("]");
    }
    parts.insert(parts.begin(), argument());
    return node(Kind::kRoot, "", std::move(parts));
  }

  std::string delimiter() {
    skip_spaces();
    const std::size_t begin = at_;
    if (next() == '\\') {
      command();
    } else if (!done()) {
      ++at_;
    }
    const auto found = math_fence(tex_.substr(begin, at_ - begin));
    if (!found) throw OutsideSubset();
    return *found;
  }

  MathNode fenced() {
    MathNode fence = node(Kind::kFenced, delimiter());
    fence.children.push_back(row("\\right"));
    expect("\\right");
    fence.close = delimiter();
    return fence;
  }

  int depth_ = 0;
};

}  // namespace

std::optional<MathNode> parse_math(std::string_view tex) {
  try {
    return Parser(tex).formula();
  } catch (const OutsideSubset&) {
    return {};
  }
}

}  // namespace labreport
