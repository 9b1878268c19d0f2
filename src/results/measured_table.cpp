#include "results/measured_table.h"

#include <algorithm>

namespace labreport {

const Table* find_table(const Launch& launch, std::string_view name) {
  const auto found = std::ranges::find(launch.tables, name, &Table::name);
  return found == launch.tables.end() ? nullptr : &*found;
}

const Scalar* MeasuredRow::find(std::string_view column) const {
  const auto found = std::ranges::find(table_->columns, column, &TableColumn::name);
  const auto index = static_cast<std::size_t>(found - table_->columns.begin());
  const auto& row = table_->rows[row_];
  return index < row.size() ? &row[index] : nullptr;
}

std::string MeasuredRow::text(std::string_view column) const {
  const Scalar* scalar = find(column);
  const auto* text = scalar == nullptr ? nullptr : std::get_if<std::string>(scalar);
  return text == nullptr ? "" : *text;
}

std::optional<double> MeasuredRow::number(std::string_view column) const {
  const Scalar* scalar = find(column);
  return scalar == nullptr ? std::nullopt : number_of(*scalar);
}

std::vector<MeasuredRow> measured_rows(const Launch& launch, std::string_view table) {
  const Table* measured = find_table(launch, table);
  std::vector<MeasuredRow> rows;
  for (std::size_t i = 0; measured != nullptr && i < measured->rows.size(); ++i) {
    rows.emplace_back(*measured, i);
  }
  return rows;
}

}  // namespace labreport
