// Where a parser of TeX's math stands in its text.
#pragma once

#include <exception>
#include <string_view>

namespace labreport {

/// Thrown at the first thing that a parser does not know.
struct OutsideSubset : std::exception {};

class MathCursor {
 public:
  explicit MathCursor(std::string_view tex) : tex_(tex) {}

 protected:
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  bool done() const { return at_ == tex_.size(); }
  char next() const { return done() ? '\0' : tex_[at_]; }
  bool starts(std::string_view text) const { return tex_.substr(at_).starts_with(text); }

  void skip_spaces() {
    while (!done() && is_space(next())) ++at_;
  }

  void expect(std::string_view text) {
    skip_spaces();
    if (!starts(text)) throw OutsideSubset();
    at_ += text.size();
  }

  std::string_view tex_;
  std::size_t at_ = 0;
};

}  // namespace labreport
