// Small text helpers shared by flags, messages and reports.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// These functions are true for ASCII characters only, whatever the locale.
constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
constexpr bool is_alpha(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}
constexpr bool is_alnum(char letter) { return is_alpha(letter) || is_digit(letter); }

/// True for a byte of a UTF-8 sequence other than its first.
constexpr bool continues_letter(char byte) { return (byte & 0xC0) == 0x80; }

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

std::string replaced(std::string text, std::string_view old, std::string_view fresh);

std::string_view trimmed(std::string_view text);

/// Converts ASCII letters to lower case.
std::string lower(std::string_view text);

/// Joins words: "a", "a and b", "a, b and c".
std::string join_words(std::span<const std::string> words);

/// Joins words into one line for a shell. Words that it would split or change are quoted, except
/// for a leading "~/", which it should expand.
std::string command_line(std::span<const std::string> argv);

/// Returns the text's ASCII letters in lower case and its digits, with a hyphen for other
/// characters between them: a name that is safe in a path and a URL.
std::string slug(std::string_view text);

/// Returns Levenshtein's distance, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the three nearest candidates by edit distance, or all of at most eight in their order.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// Throws `InputError`: "unknown size 'xxl'", with the nearest valid names as the remedy.
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view word,
                                 std::span<const std::string> candidates);

/// Counts UTF-8 sequences, which estimates the width of the text in columns.
std::size_t letter_count(std::string_view text);

enum class Pad { kLeft, kRight };

/// Adds spaces to `text` on the side `where` up to `letters` letters; longer text stays as it is.
std::string padded(const std::string& text, std::size_t letters, Pad where);

/// Returns the text, or if it has more than `most` bytes, its whole letters within them and "…".
std::string cut_short(std::string_view text, std::size_t most);

/// True for well-formed UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view bytes);

}  // namespace labreport
