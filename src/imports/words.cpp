#include "imports/words.h"

#include <algorithm>
#include <cctype>

#include "base/table.h"

namespace labreport {
namespace {

constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kLongestName = 1000;

/// Letters outside ASCII that stand for words.
constexpr ConstantTable<std::string_view, std::string_view, 4> kSigns{
    {{"\u00B5", "u"}, {"\u03BC", "u"}, {"\u03C3", " std "}, {"\u00B1", " "}}};

bool is(int (*kind)(int), char letter) { return kind(static_cast<unsigned char>(letter)) != 0; }
bool is_ascii(char letter) { return static_cast<unsigned char>(letter) < 0x80; }

std::string with_signs_as_words(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto sign = std::ranges::find_if(
        kSigns, [&](const auto& known) { return text.starts_with(known.first); });
    plain += sign == kSigns.end() ? text.substr(0, 1) : sign->second;
    text.remove_prefix(sign == kSigns.end() ? 1 : sign->first.size());
  }
  return plain;
}

}  // namespace

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

std::string plain_cell(std::string_view text) {
  std::string plain(without_spaces(text));
  std::erase_if(plain, [](char letter) { return letter == '*' || letter == '`' || letter == '$'; });
  return std::string(without_spaces(plain));
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string> words_of(std::string_view text) {
  const std::string plain = text.size() > kLongestName ? "" : with_signs_as_words(text);
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const bool counts = is(std::isalnum, plain[i]) || !is_ascii(plain[i]);
    // "forwardMs" has a hump, "GiB" has none.
    const bool hump = i > 0 && is(std::islower, plain[i - 1]) && is(std::isupper, plain[i]) &&
                      i + 1 < plain.size() && is(std::islower, plain[i + 1]);
    if (counts && (!inside || hump)) words.emplace_back();
    if (counts) words.back() += lower_case(plain.substr(i, 1));
    inside = counts;
  }
  return words;
}

std::string in_quotes(std::string_view text) {
  std::size_t end = std::min(text.size(), kLongestQuote);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  std::string shown(text.substr(0, end));
  std::ranges::replace_if(shown, [](char letter) { return is(std::iscntrl, letter); }, '?');
  return "'" + shown + (end < text.size() ? "…'" : "'");
}

}  // namespace labreport
