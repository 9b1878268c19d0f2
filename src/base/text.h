// Small text helpers shared by flags, messages and reports.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// Of ASCII, whatever the locale.
constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
constexpr bool is_alpha(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}
constexpr bool is_alnum(char letter) { return is_alpha(letter) || is_digit(letter); }

/// A byte of a letter in UTF-8, but not its first one.
constexpr bool continues_letter(char byte) { return (byte & 0xC0) == 0x80; }

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

/// `text` with each `old` in it as `fresh`.
std::string replaced(std::string text, std::string_view old, std::string_view fresh);

/// Without white space at its ends.
std::string_view trimmed(std::string_view text);

/// ASCII letters in lower case.
std::string lower(std::string_view text);

/// "a", "a and b", "a, b and c".
std::string join_words(std::span<const std::string> words);

/// One line for a shell: words that it would split or change stand in quotes, but for a leading
/// "~/" that it shall replace.
std::string command_line(std::span<const std::string> argv);

/// Lower-case ASCII letters, digits and single hyphens: a name that is safe in a path and a URL.
std::string slug(std::string_view text);

/// Levenshtein's distance, letters compared without case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The three nearest candidates by edit distance; all of them, in their order, if there are few.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "unknown size 'xxl'", with the nearest valid names as the remedy. Throws InputError.
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view word,
                                 std::span<const std::string> candidates);

/// Letters that a reader counts: UTF-8 sequences, for estimates of widths.
std::size_t letter_count(std::string_view text);

enum class Pad { kLeft, kRight };

/// Fills `text` up to so many letters with spaces on that side.
std::string padded(const std::string& text, std::size_t letters, Pad where);

/// What fits into `most` bytes, cut between letters, with "…" behind it where it was cut.
std::string cut_short(std::string_view text, std::size_t most);

/// True for well-formed UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view bytes);

}  // namespace labreport
