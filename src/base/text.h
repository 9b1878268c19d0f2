// Handles text for flags, messages and reports. A letter is a Unicode code point.
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// These three functions are true only for ASCII characters, in every locale.
constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
constexpr bool is_alpha(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}
constexpr bool is_alnum(char letter) { return is_alpha(letter) || is_digit(letter); }

constexpr bool is_utf8_continuation(char byte) { return (byte & 0xC0) == 0x80; }

/// Returns the number in the digits with which the text begins; empty if there is none.
template <typename Number>
std::optional<Number> leading_number(std::string_view text) {
  Number number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// Returns the number that the whole text is; empty if it is none.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

std::string replaced(std::string text, std::string_view searched, std::string_view replacement);

/// Removes spaces, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// Converts ASCII letters to lower case.
std::string lower(std::string_view text);

/// Joins words: "a", "a and b", "a, b and c".
std::string join_words(std::span<const std::string> words);

/// Joins words into a command line for a shell. Words that the shell would split or change are
/// quoted. A leading "~/" stays unquoted, because the shell should expand it.
std::string command_line(std::span<const std::string> argv);

/// Returns a name that is safe in a path and a URL: lower-case ASCII letters and digits, and one
/// hyphen in place of each run of other characters between them.
std::string slug(std::string_view text);

/// Returns the Levenshtein distance, ignoring the case of ASCII letters.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the three nearest candidates by edit distance. If there are at most eight candidates,
/// returns all of them in their order.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// Throws `InputError`: "unknown size 'xxl'", if `what` is "size", with the nearest candidates.
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view word,
                                 std::span<const std::string> candidates);

/// Returns the number of UTF-8 sequences, an estimate of the text's width in columns.
std::size_t letter_count(std::string_view text);

enum class Pad { kLeft, kRight };

/// Adds spaces on one side until the text has `letters` letters; a longer text stays as it is.
std::string padded(const std::string& text, std::size_t letters, Pad side);

/// Cuts a text of more than `max_bytes` bytes to the whole letters that fit, and appends "…".
std::string cut_short(std::string_view text, std::size_t max_bytes);

/// True for well-formed UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view bytes);

}  // namespace labreport
