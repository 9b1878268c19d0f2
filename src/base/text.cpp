#include "base/text.h"

#include <algorithm>
#include <boost/locale/utf.hpp>
#include <cctype>
#include <numeric>

#include "base/error.h"

namespace labreport {
namespace {

constexpr std::size_t kShowAllUpTo = 8;
constexpr std::size_t kShowNearest = 3;

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != text.npos; begin = end + 1) {
    parts.emplace_back(text.substr(begin, end - begin));
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string replaced(std::string text, std::string_view searched, std::string_view replacement) {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at; (at = text.find(searched, begin)) != text.npos;
       begin = at + searched.size()) {
    result.append(text, begin, at - begin).append(replacement);
  }
  return result.append(text, begin);
}

std::string join_words(std::span<const std::string> words) {
  if (words.size() < 2) return join(words, "");
  return join(words.first(words.size() - 1), ", ") + " and " + words.back();
}

std::string command_line(std::span<const std::string> argv) {
  const auto is_plain = [](char letter) {
    return is_alnum(letter) || (letter & 0x80) != 0 ||
           std::string_view("-_=+,./:@%~").find(letter) != std::string_view::npos;
  };
  std::vector<std::string> words;
  for (const std::string& word : argv) {
    const bool is_plain_word = !word.empty() && std::ranges::all_of(word, is_plain);
    words.push_back(is_plain_word ? word : "'" + replaced(word, "'", "'\\''") + "'");
  }
  return join(words, " ");
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string letters(text);
  for (char& letter : letters) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return letters;
}

std::string slug(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (is_alnum(c)) {
      result += c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (result.ends_with('-')) result.pop_back();
  return lower(result);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool is_same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                           std::tolower(static_cast<unsigned char>(b[j - 1]));
      const std::size_t replace_cost = diagonal + (is_same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace_cost, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::vector<std::string> sorted(candidates.begin(), candidates.end());
  if (sorted.size() <= kShowAllUpTo) return sorted;
  std::ranges::stable_sort(
      sorted, {}, [&](const std::string& candidate) { return edit_distance(word, candidate); });
  sorted.resize(kShowNearest);
  return sorted;
}

void refuse_unknown(std::string_view what, std::string_view word,
                    std::span<const std::string> candidates) {
  const bool shows_all = candidates.size() <= kShowAllUpTo;
  throw InputError(
      "unknown " + std::string(what) + " '" + std::string(word) + "'",
      (shows_all ? "use one of: " : "nearest: ") + join(nearest(word, candidates), ", "));
}

std::size_t letter_count(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_utf8_continuation));
}

std::string padded(const std::string& text, std::size_t letters, Pad side) {
  const std::string space(letters - std::min(letters, letter_count(text)), ' ');
  return side == Pad::kLeft ? space + text : text + space;
}

std::string cut_short(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  while (max_bytes > 0 && is_utf8_continuation(text[max_bytes])) --max_bytes;
  return std::string(text.substr(0, max_bytes)) + "…";
}

bool is_utf8(std::string_view bytes) {
  for (auto at = bytes.begin(); at != bytes.end();) {
    const auto letter = boost::locale::utf::utf_traits<char>::decode(at, bytes.end());
    if (!boost::locale::utf::is_valid_codepoint(letter)) return false;
  }
  return true;
}

}  // namespace labreport
