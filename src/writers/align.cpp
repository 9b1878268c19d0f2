#include "writers/align.h"

#include <algorithm>
#include <optional>

namespace labreport {
namespace {

struct DigitCounts {
  std::size_t whole = 0;
  std::size_t decimals = 0;
};

struct NumberDigits {
  DigitCounts value, deviation;
};

/// Counts the digits before and after the point. Returns nothing for text that is no plain
/// decimal, such as a power of ten or infinity.
std::optional<DigitCounts> digit_counts(std::string_view digits) {
  constexpr std::string_view kMinus = "−";
  if (digits.starts_with(kMinus)) digits.remove_prefix(kMinus.size());
  if (digits.find_first_not_of("0123456789.,") != digits.npos) return {};
  const std::size_t point = std::min(digits.find('.'), digits.size());
  return DigitCounts{point, digits.size() - std::min(point + 1, digits.size())};
}

void raise_to(DigitCounts& widest, const DigitCounts& counts) {
  widest.whole = std::max(widest.whole, counts.whole);
  widest.decimals = std::max(widest.decimals, counts.decimals);
}

/// Returns zeros for the missing decimals, with a point before them if the number has none.
std::string missing_decimals(std::size_t decimals, std::size_t wanted_decimals) {
  if (wanted_decimals <= decimals) return "";
  return (decimals == 0 ? "." : "") + std::string(wanted_decimals - decimals, '0');
}

}  // namespace

std::vector<AlignedCell> align_decimals(const TableView& table, std::size_t column) {
  std::vector<AlignedCell> cells;
  std::vector<std::optional<NumberDigits>> numbers;
  NumberDigits widest;
  for (const RowView& row : table.rows) {
    const Value cell = column < row.cells.size() ? row.cells[column] : Value("");
    cells.push_back({format_cell(cell, table.columns[column].notation), "", ""});
    const auto value = digit_counts(cells.back().text.value);
    const auto deviation = digit_counts(cells.back().text.deviation);
    auto& number = numbers.emplace_back();
    if (cell.number() == nullptr || !value || !deviation) continue;
    number = NumberDigits{*value, *deviation};
    raise_to(widest.value, number->value);
    raise_to(widest.deviation, number->deviation);
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!numbers[i]) continue;
    const auto& [value, deviation] = *numbers[i];
    cells[i].at_end = missing_decimals(value.decimals, widest.value.decimals);
    if (cells[i].text.deviation.empty()) continue;
    cells[i].after_value =
        cells[i].at_end + std::string(widest.deviation.whole - deviation.whole, '0');
    cells[i].at_end = missing_decimals(deviation.decimals, widest.deviation.decimals);
  }
  return cells;
}

}  // namespace labreport
