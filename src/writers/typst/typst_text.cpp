#include "writers/typst/typst_text.h"

#include "base/text.h"
#include "writers/visible_text.h"

namespace labreport {
namespace {

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') literal.push_back('\\');
    letter == '\n' ? literal.append("\\n") : literal.append(1, letter);
  }
  return literal + "\"";
}

/// Returns true if a character has no special meaning to Typst here; any other is escaped.
bool means_itself(std::string_view text, std::size_t at) {
  const char letter = text[at];
  if (is_alnum(letter) || (letter & 0x80) != 0) return true;
  if (std::string_view(" ,%!?&)").find(letter) != std::string_view::npos) return true;
  if (at == 0) return false;  // Typst would join "(", "." and ";" to a call before the text.
  const char before = text[at - 1];
  const char after = at + 1 < text.size() ? text[at + 1] : ' ';
  if (std::string_view("(;:").find(letter) != std::string_view::npos) return true;
  if (std::string_view("-/+").find(letter) != std::string_view::npos) {
    return is_alnum(before) && is_alnum(after);
  }
  // A dot is escaped if it may be part of an ellipsis or of a number that begins a list, "1. ".
  return letter == '.' && after != '.' && before != '.' && (!is_digit(before) || after != ' ');
}

}  // namespace

std::string typst_string(std::string_view text) { return string_literal(visible_text(text)); }

std::string typst_lines(std::string_view text) { return string_literal(visible_text(text, true)); }

std::string typst_text(std::string_view text) {
  const std::string words = paper_words(text);
  std::string escaped;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!means_itself(words, i)) escaped.push_back('\\');
    escaped.push_back(words[i]);
  }
  return escaped;
}

std::string typst_code(std::string_view text) {
  return "#raw(" + string_literal(paper_code(text)) + ")";
}

}  // namespace labreport
