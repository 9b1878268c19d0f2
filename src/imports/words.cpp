#include "imports/words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/table.h"
#include "imports/lines.h"

namespace labreport {
namespace {

constexpr std::size_t kLongestQuote = 60;

/// Letters outside ASCII that stand for words.
constexpr ConstantTable<std::string_view, std::string_view, 4> kSigns{
    {{"\u00B5", "u"}, {"\u03BC", "u"}, {"\u03C3", " std "}, {"\u00B1", " "}}};

constexpr ConstantTable<std::string_view, bool, 8> kYesNo{{{"true", true},
                                                           {"yes", true},
                                                           {"y", true},
                                                           {"1", true},
                                                           {"false", false},
                                                           {"no", false},
                                                           {"n", false},
                                                           {"0", false}}};

constexpr ConstantTable<std::string_view, Precision, 12> kPrecisionWords{
    {{"fp32", Precision::kFp32},
     {"float32", Precision::kFp32},
     {"f32", Precision::kFp32},
     {"full", Precision::kFp32},
     {"tf32", Precision::kTf32},
     {"bf16", Precision::kBf16},
     {"bfloat16", Precision::kBf16},
     {"fp16", Precision::kFp16},
     {"float16", Precision::kFp16},
     {"half", Precision::kFp16},
     {"f16", Precision::kFp16},
     {"single", Precision::kFp32}}};

constexpr std::array<std::string_view, 6> kPrecisionFiller{"torch",    "mixed", "precision",
                                                           "autocast", "amp",   "dtype"};

unsigned char byte(char letter) { return static_cast<unsigned char>(letter); }

std::string with_signs_as_words(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const auto sign = std::ranges::find_if(
        kSigns, [&](const auto& known) { return text.substr(i).starts_with(known.first); });
    plain += sign == kSigns.end() ? text.substr(i, 1) : sign->second;
    i += sign == kSigns.end() ? 1 : sign->first.size();
  }
  return plain;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  bool was_small = false;
  const std::string plain = with_signs_as_words(text);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char letter = plain[i];
    const bool counts = std::isalnum(byte(letter)) != 0 || byte(letter) >= 0x80;
    // "forwardMs" has a hump, "GiB" has none.
    const bool hump = was_small && std::isupper(byte(letter)) != 0 && i + 1 < plain.size() &&
                      std::islower(byte(plain[i + 1])) != 0;
    if (counts && (!inside || hump)) words.emplace_back();
    if (counts) words.back() += static_cast<char>(std::tolower(byte(letter)));
    inside = counts;
    was_small = std::islower(byte(letter)) != 0;
  }
  return words;
}

std::string plain_cell(std::string_view text) {
  std::string plain;
  for (const char letter : without_spaces(text)) {
    if (letter != '*' && letter != '`' && letter != '$') plain += letter;
  }
  return std::string(without_spaces(plain));
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char letter) { return static_cast<char>(std::tolower(byte(letter))); });
  return lower;
}

std::string in_quotes(std::string_view text) {
  std::string shown;
  for (const char letter : text.substr(0, kLongestQuote)) {
    shown += byte(letter) < 0x20 || byte(letter) == 0x7F ? '?' : letter;
  }
  if (text.size() <= kLongestQuote) return "'" + shown + "'";
  while (!shown.empty() && (byte(text[shown.size()]) & 0xC0) == 0x80) shown.pop_back();
  return "'" + shown + "…'";
}

std::optional<bool> parse_yes_no(std::string_view text) {
  const bool* found = look_up(kYesNo, lower_case(text));
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<Precision> precision_named(std::string_view text) {
  std::optional<Precision> named;
  for (const std::string& word : words_of(text)) {
    if (std::ranges::find(kPrecisionFiller, word) != kPrecisionFiller.end()) continue;
    const Precision* found = look_up(kPrecisionWords, word);
    if (found == nullptr || (named && *named != *found)) return std::nullopt;
    named = *found;
  }
  return named;
}

}  // namespace labreport
