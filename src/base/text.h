// Small text helpers shared by flags, messages and reports.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

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

/// True for well-formed UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view bytes);

}  // namespace labreport
