#include "writers/visible_text.h"

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "base/text.h"

namespace labreport {
namespace {

// Bytes of the longest word that may not break; longer ones are names of functions, paths and the
// like. A piece of a broken word has at most `kLongestWord` letters.
constexpr std::size_t kLongWord = 20;
constexpr std::size_t kLongestWord = 28;
constexpr std::string_view kMayBreak = "\u200b";

constexpr std::array<std::string_view, 12> kDirections = {"\u061c", "\u200e", "\u200f", "\u202a",
                                                          "\u202b", "\u202c", "\u202d", "\u202e",
                                                          "\u2066", "\u2067", "\u2068", "\u2069"};

std::size_t word_length(std::string_view text, std::size_t begin) {
  return std::min(text.find(' ', begin), text.size()) - begin;
}

/// Lets long words break after punctuation, "at::native::|add_", or after `kLongestWord` letters.
std::string with_breaks(std::string_view text) {
  constexpr std::string_view kMarks = "_/:,.<>(){}[]=&?";
  std::string broken;
  bool breaks = word_length(text, 0) > kLongWord;
  std::size_t length = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool behind_mark = i > 0 && kMarks.find(text[i - 1]) != kMarks.npos;
    const bool in_row = kMarks.find(text[i]) != kMarks.npos;
    const bool in_number = i > 1 && is_digit(text[i]) && is_digit(text[i - 2]);
    const bool here =
        (behind_mark && !in_row && !in_number && length > 3) || length >= kLongestWord;
    if (breaks && here && !continues_letter(text[i])) {
      broken += kMayBreak;
      length = 0;
    }
    broken.push_back(text[i]);
    if (text[i] == ' ') {
      breaks = word_length(text, i + 1) > kLongWord;
      length = 0;
    } else if (!continues_letter(text[i])) {
      ++length;
    }
  }
  return broken;
}

}  // namespace

std::string without_marks(std::string_view text, bool keep_lines) {
  std::string visible;
  while (!text.empty()) {
    std::size_t taken = 1;
    const auto direction = std::ranges::find_if(
        kDirections, [text](std::string_view mark) { return text.starts_with(mark); });
    if (direction != kDirections.end()) {
      taken = direction->size();
    } else if (text.starts_with("\u2028") || text.starts_with("\u2029")) {
      visible.push_back(' ');
      taken = 3;
    } else if (text.front() == '\n' && keep_lines) {
      visible.push_back('\n');
    } else if (std::string_view("\n\r\t").find(text.front()) != std::string_view::npos) {
      visible.push_back(' ');
    } else if (const std::size_t control = control_length(text)) {
      taken = control;
    } else {
      visible.push_back(text.front());
    }
    text.remove_prefix(taken);
  }
  return visible;
}

std::string keep_numbers_whole(std::string_view text) {
  constexpr std::string_view kTails[] = {"±",  "ms",  "µs", "MB", "MiB",
                                         "GB", "GiB", "%",  "×",  "times"};
  std::string whole;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i + 1);
    const bool after_number = i > 0 && is_digit(text[i - 1]);
    const bool before_unit = std::ranges::any_of(
        kTails, [rest](std::string_view tail) { return rest.starts_with(tail); });
    const bool after_sign = whole.ends_with("±");
    const bool bound = text[i] == ' ' && (after_sign || (after_number && before_unit));
    bound ? whole.append("\u00a0") : whole.append(1, text[i]);
  }
  return whole;
}

std::string paper_words(std::string_view text) {
  return with_breaks(keep_numbers_whole(without_marks(text)));
}

std::string paper_code(std::string_view text) { return with_breaks(without_marks(text)); }

}  // namespace labreport
