#include "imports/table_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "imports/lines.h"

namespace labreport {
namespace {

constexpr std::array<std::string_view, 8> kMissing{"", "-", "–", "—", "n/a", "na", "nan", "none"};
constexpr std::array<std::string_view, 4> kInfinite{"inf", "-inf", "infinity", "+inf"};
constexpr std::array<std::string_view, 4> kPlusMinus{"±", "+/-", "\\pm", "+-"};
constexpr std::size_t kGroup = 3;

TableNumber wrong(std::string why) {
  return {.kind = TableNumber::Kind::kWrong, .why = std::move(why)};
}

bool is_one_of(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// "1,234.5" and "1,234,567" hold commas between thousands beyond doubt.
bool has_clear_thousands(std::string_view number) {
  const std::size_t point = number.find('.');
  std::string_view whole = number.substr(0, point);
  const std::size_t first = whole.find(',');
  if (first == 0 || first > kGroup || !all_digits(whole.substr(0, first))) return false;
  std::size_t groups = 0;
  for (whole.remove_prefix(first); !whole.empty(); ++groups) {
    if (whole.size() <= kGroup || whole[0] != ',' || !all_digits(whole.substr(1, kGroup))) {
      return false;
    }
    whole.remove_prefix(kGroup + 1);
  }
  const bool fraction = point != number.npos && all_digits(number.substr(point + 1));
  return fraction || (point == number.npos && groups > 1);
}

/// "12.3 ms" → 12.3 and the unit.
TableNumber parse_part(std::string_view text) {
  text = without_spaces(text);
  const std::size_t end = std::min(text.find_first_not_of("+-0123456789.,"), text.size());
  std::size_t stop = end;
  // An exponent, not the "e" of a word.
  if (end + 1 < text.size() && text[end] == 'e' && end > 0) {
    const std::size_t behind =
        std::min(text.find_first_not_of("+-0123456789", end + 1), text.size());
    if (behind > end + 1) stop = behind;
  }
  std::string number(text.substr(0, stop));
  const std::string_view rest = without_spaces(text.substr(stop));
  TableNumber found{.kind = TableNumber::Kind::kUnclear};
  if (!rest.empty()) found.unit = unit_named(rest);
  if (number.empty() || (!rest.empty() && !found.unit)) return found;
  if (number.find(',') != number.npos) {
    if (!has_clear_thousands(number))
      return wrong("is the comma for thousands or for decimals? write the number without one");
    std::erase(number, ',');
  }
  const auto [at, error] =
      std::from_chars(number.data(), number.data() + number.size(), found.value);
  if (error == std::errc::result_out_of_range) return wrong("it is out of range");
  if (error != std::errc() || at != number.data() + number.size()) return found;
  if (found.value < 0) return wrong("it is negative");
  found.kind = TableNumber::Kind::kNumber;
  return found;
}

TableNumber with_deviation(std::string_view value, std::string_view deviation) {
  TableNumber found = parse_part(value);
  TableNumber second = parse_part(deviation);
  if (found.kind != TableNumber::Kind::kNumber) return found;
  if (second.kind != TableNumber::Kind::kNumber) return second;
  if (found.unit && second.unit && *found.unit != *second.unit) {
    return wrong("its two numbers have different units");
  }
  found.deviation = second.value;
  if (!found.unit) found.unit = second.unit;
  return found;
}

}  // namespace

TableNumber parse_table_number(std::string_view cell) {
  const std::string text = lower_case(plain_cell(cell));
  if (is_one_of(kMissing, text)) return {};
  if (is_one_of(kInfinite, text)) return wrong("it is infinite");
  if (text.starts_with("oom") || text == "cuda oom" || text.find("out of memory") != text.npos) {
    return {.kind = TableNumber::Kind::kOutOfMemory};
  }
  for (const std::string_view sign : kPlusMinus) {
    const std::size_t at = text.find(sign);
    if (at != text.npos && at > 0) {
      return with_deviation(std::string_view(text).substr(0, at),
                            std::string_view(text).substr(at + sign.size()));
    }
  }
  return parse_part(text);
}

}  // namespace labreport
