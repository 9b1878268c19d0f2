#include "experiments/common/table_cells.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/statistics.h"

namespace labreport {
namespace {

constexpr const char* kMissing = "–";

}  // namespace

CellView mean_cell(const std::vector<double>& milliseconds) {
  if (milliseconds.empty()) return missing_cell();
  const Summary summary = summarize(milliseconds);
  if (summary.count < 2) return number_cell(format_significant(summary.mean), summary.mean);
  return deviating_cell(summary.mean, summary.stddev);
}

CellView deviating_cell(double value, double deviation) {
  return {format_with_deviation(value, deviation).joined(), value, false, deviation};
}

CellView ms_cell(std::optional<double> milliseconds) {
  if (!milliseconds) return missing_cell();
  return number_cell(format_significant(*milliseconds), *milliseconds);
}

CellView share_cell(std::optional<double> share) {
  return share ? number_cell(format_percent(*share), *share) : missing_cell();
}

CellView count_cell(std::int64_t count) {
  return number_cell(format_count(count), static_cast<double>(count));
}

CellView count_cell(double count) { return count_cell(static_cast<std::int64_t>(count)); }

CellView text_cell(std::string text) { return {std::move(text), std::nullopt, false}; }

CellView number_cell(std::string text, double value) { return {std::move(text), value, false}; }

CellView missing_cell() { return {kMissing, std::nullopt, true}; }

void explain(RowView& row, const std::string& reason, std::size_t labels) {
  if (reason.empty()) return;
  const bool empty = std::all_of(row.cells.begin() + static_cast<std::ptrdiff_t>(labels),
                                 row.cells.end(), [](const CellView& cell) { return cell.muted; });
  if (empty) {
    row.cells.resize(labels);
    row.note = reason;
  } else {
    row.flags.push_back(reason);
  }
}

void drop_empty_columns(TableView& table, std::size_t labels) {
  const auto says_nothing = [&table](std::size_t column) {
    return std::ranges::all_of(table.rows, [column](const RowView& row) {
      return column >= row.cells.size() || row.cells[column].text == kMissing;
    });
  };
  if (std::ranges::all_of(table.rows, [](const RowView& row) { return !row.note.empty(); })) return;
  for (std::size_t column = table.columns.size(); column-- > labels;) {
    if (!says_nothing(column)) continue;
    const auto place = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + place);
    for (RowView& row : table.rows) {
      if (column < row.cells.size()) row.cells.erase(row.cells.begin() + place);
    }
  }
  if (table.columns.size() == labels) table.rows.clear();
}

void add_flags(RowView& row, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (std::find(row.flags.begin(), row.flags.end(), word) == row.flags.end()) {
      row.flags.push_back(word);
    }
  }
}

}  // namespace labreport
