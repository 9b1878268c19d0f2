#include "writers/align.h"

#include <algorithm>
#include <optional>

namespace labreport {
namespace {

struct Places {
  std::size_t whole = 0;
  std::size_t decimals = 0;
};

struct Number {
  Places value, deviation;
};

/// Counts the digits before and behind the point. Returns nothing for text that is no plain
/// decimal, such as a power of ten or infinity.
std::optional<Places> places(std::string_view digits) {
  constexpr std::string_view kMinus = "−";
  if (digits.starts_with(kMinus)) digits.remove_prefix(kMinus.size());
  if (digits.find_first_not_of("0123456789.,") != digits.npos) return {};
  const std::size_t point = std::min(digits.find('.'), digits.size());
  return Places{point, digits.size() - std::min(point + 1, digits.size())};
}

void widen(Places& room, const Places& places) {
  room.whole = std::max(room.whole, places.whole);
  room.decimals = std::max(room.decimals, places.decimals);
}

/// Zeros for the missing decimals, behind a point if the number has no decimals.
std::string missing_decimals(std::size_t have, std::size_t want) {
  if (want <= have) return "";
  return (have == 0 ? "." : "") + std::string(want - have, '0');
}

}  // namespace

std::vector<AlignedCell> align_decimals(const TableView& table, std::size_t column) {
  std::vector<AlignedCell> cells;
  std::vector<std::optional<Number>> numbers;
  Number room;
  for (const RowView& row : table.rows) {
    const Value cell = column < row.cells.size() ? row.cells[column] : Value("");
    cells.push_back({format_cell(cell, table.columns[column].notation), "", ""});
    const auto value = places(cells.back().text.value);
    const auto deviation = places(cells.back().text.deviation);
    auto& number = numbers.emplace_back();
    if (cell.number() == nullptr || !value || !deviation) continue;
    number = Number{*value, *deviation};
    widen(room.value, number->value);
    widen(room.deviation, number->deviation);
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!numbers[i]) continue;
    const auto& [value, deviation] = *numbers[i];
    cells[i].at_end = missing_decimals(value.decimals, room.value.decimals);
    if (cells[i].text.deviation.empty()) continue;
    cells[i].after_value =
        cells[i].at_end + std::string(room.deviation.whole - deviation.whole, '0');
    cells[i].at_end = missing_decimals(deviation.decimals, room.deviation.decimals);
  }
  return cells;
}

}  // namespace labreport
