#include "writers/align.h"

#include <algorithm>
#include <optional>

namespace labreport {
namespace {

constexpr std::string_view kPlusMinus = " ± ";
constexpr std::string_view kMinus = "−";

struct Places {
  std::size_t whole = 0;
  std::size_t decimals = 0;
};

struct Number {
  Places value;
  std::optional<Places> deviation;
};

std::optional<Places> places(std::string_view text) {
  if (text.starts_with(kMinus)) text.remove_prefix(kMinus.size());  // Wherever it stands.
  if (text.empty() || text.find_first_not_of("0123456789.,-") != std::string_view::npos) return {};
  const std::size_t point = std::min(text.find('.'), text.size());
  return Places{point, text.size() - std::min(point + 1, text.size())};
}

std::optional<Number> parse(std::string_view text) {
  const std::size_t sign = text.find(kPlusMinus);
  const auto value = places(text.substr(0, sign));
  if (!value) return {};
  if (sign == std::string_view::npos) return Number{*value, {}};
  const auto deviation = places(text.substr(sign + kPlusMinus.size()));
  if (!deviation) return {};
  return Number{*value, deviation};
}

/// The decimals that are missing, the point included where there is none.
std::string missing_decimals(std::size_t have, std::size_t want) {
  if (want <= have) return "";
  return (have == 0 ? "." : "") + std::string(want - have, '0');
}

}  // namespace

std::vector<Padding> align_decimals(const TableView& table, std::size_t column) {
  Places value;
  Places deviation;
  std::vector<std::optional<Number>> numbers;
  for (const RowView& row : table.rows) {
    const auto number = numbers.emplace_back(parse(row.text(column)));
    if (!number) continue;
    value.decimals = std::max(value.decimals, number->value.decimals);
    if (!number->deviation) continue;
    deviation.whole = std::max(deviation.whole, number->deviation->whole);
    deviation.decimals = std::max(deviation.decimals, number->deviation->decimals);
  }
  std::vector<Padding> paddings;
  for (const auto& number : numbers) {
    Padding& padding = paddings.emplace_back();
    if (!number) continue;
    const std::string after_value = missing_decimals(number->value.decimals, value.decimals);
    if (!number->deviation) {
      padding.end = after_value;
      continue;
    }
    padding.middle = after_value + std::string(deviation.whole - number->deviation->whole, '0');
    padding.end = missing_decimals(number->deviation->decimals, deviation.decimals);
  }
  return paddings;
}

}  // namespace labreport
