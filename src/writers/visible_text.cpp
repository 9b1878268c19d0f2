#include "writers/visible_text.h"

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "base/text.h"

namespace labreport {
namespace {

// A longer word is the name of a function, a path or the like, and may break into pieces.
constexpr std::size_t kLongestWholeWordBytes = 20;
constexpr std::size_t kLongestPieceLetters = 28;
constexpr std::string_view kBreakPlace = "\u200b";

constexpr std::array<std::string_view, 12> kDirectionMarks = {
    "\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c",
    "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};

std::size_t word_bytes(std::string_view text, std::size_t begin) {
  return std::min(text.find(' ', begin), text.size()) - begin;
}

/// Lets long words break after punctuation, "at::native::|add_", or after `kLongestPieceLetters`.
std::string with_breaks(std::string_view text) {
  constexpr std::string_view kMarks = "_/:,.<>(){}[]=&?";
  std::string broken;
  bool may_break = word_bytes(text, 0) > kLongestWholeWordBytes;
  std::size_t piece_letters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool after_mark = i > 0 && kMarks.find(text[i - 1]) != kMarks.npos;
    const bool is_mark = kMarks.find(text[i]) != kMarks.npos;
    const bool in_number = i > 1 && is_digit(text[i]) && is_digit(text[i - 2]);
    const bool is_break_place = (after_mark && !is_mark && !in_number && piece_letters > 3) ||
                                piece_letters >= kLongestPieceLetters;
    if (may_break && is_break_place && !is_utf8_continuation(text[i])) {
      broken += kBreakPlace;
      piece_letters = 0;
    }
    broken.push_back(text[i]);
    if (text[i] == ' ') {
      may_break = word_bytes(text, i + 1) > kLongestWholeWordBytes;
      piece_letters = 0;
    } else if (!is_utf8_continuation(text[i])) {
      ++piece_letters;
    }
  }
  return broken;
}

}  // namespace

std::string visible_text(std::string_view text, bool keep_lines) {
  std::string visible;
  while (!text.empty()) {
    std::size_t consumed_bytes = 1;
    const auto direction_mark = std::ranges::find_if(
        kDirectionMarks, [text](std::string_view mark) { return text.starts_with(mark); });
    if (direction_mark != kDirectionMarks.end()) {
      consumed_bytes = direction_mark->size();
    } else if (text.starts_with("\u2028") || text.starts_with("\u2029")) {
      visible.push_back(' ');
      consumed_bytes = 3;
    } else if (text.front() == '\n' && keep_lines) {
      visible.push_back('\n');
    } else if (std::string_view("\n\r\t").find(text.front()) != std::string_view::npos) {
      visible.push_back(' ');
    } else if (const std::size_t control_bytes = control_length(text)) {
      consumed_bytes = control_bytes;
    } else {
      visible.push_back(text.front());
    }
    text.remove_prefix(consumed_bytes);
  }
  return visible;
}

std::string keep_numbers_whole(std::string_view text) {
  constexpr std::string_view kSuffixes[] = {"±",  "ms",  "µs", "MB", "MiB",
                                            "GB", "GiB", "%",  "×",  "times"};
  std::string whole;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i + 1);
    const bool after_number = i > 0 && is_digit(text[i - 1]);
    const bool before_suffix = std::ranges::any_of(
        kSuffixes, [rest](std::string_view suffix) { return rest.starts_with(suffix); });
    const bool after_sign = whole.ends_with("±");
    const bool is_unbreakable = text[i] == ' ' && (after_sign || (after_number && before_suffix));
    is_unbreakable ? whole.append("\u00a0") : whole.append(1, text[i]);
  }
  return whole;
}

std::string paper_words(std::string_view text) {
  return with_breaks(keep_numbers_whole(visible_text(text)));
}

std::string paper_code(std::string_view text) { return with_breaks(visible_text(text)); }

}  // namespace labreport
