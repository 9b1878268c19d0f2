// The part of run_check.h that is about tables.
#include <algorithm>
#include <utility>

#include "results/check_place.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

void check_columns(const Table& table, Unknown unknown, const Place& place) {
  OwnNames names;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    const Place at = place.item("columns", i);
    at.refuse_control_characters(column.name);
    names.add(column.name, at);
    if (unknown == Unknown::kRefused && !is_unit(column.unit)) {
      at.key("unit").refuse(fmt::format("unknown unit '{}'", column.unit));
    }
  }
  for (const std::string_view needed : needed_columns(table.name)) {
    if (names.has(needed)) continue;
    place.key("columns").refuse(fmt::format("the column '{}' is missing", needed));
  }
}

/// What the column is known to hold, else what its first value is.
ColumnType column_type(const Table& table, std::size_t column) {
  if (const auto known = type_of(table.name, table.columns[column].name)) return *known;
  for (const auto& row : table.rows) {
    if (const auto type = type_of(row[column])) return *type;
  }
  return ColumnType::kText;
}

/// Rows have the width of the columns: reading them has proven that.
void check_column(const Table& table, std::size_t column, Total& total, const Place& place) {
  const TableColumn& about = table.columns[column];
  const ColumnType expected = column_type(table, column);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Scalar& value = table.rows[i][column];
    const auto at = [&] { return place.item("rows", i).at(column); };
    const auto type = type_of(value);
    if (type && *type != expected) {
      at().refuse(fmt::format("the column '{}' holds {}", about.name, describe(expected)));
    }
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      total.add(static_cast<double>(*whole), about.unit, at);
    } else if (const auto* real = std::get_if<double>(&value)) {
      total.add(*real, about.unit, at);
    }
  }
}

/// `row` leads into the table `kernels` beside it.
void check_trace(const Table& trace, const std::vector<Table>& tables, const Place& place) {
  const auto kernels = std::ranges::find(tables, metric::kKernels, &Table::name);
  const std::size_t known = kernels == tables.end() ? 0 : kernels->rows.size();
  const auto column = std::ranges::find(trace.columns, column::kRow, &TableColumn::name);
  const auto at = static_cast<std::size_t>(column - trace.columns.begin());
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const auto* row = std::get_if<std::int64_t>(&trace.rows[i][at]);
    if (row != nullptr && *row >= 0 && std::cmp_less(*row, known)) continue;
    place.item("rows", i).at(at).refuse(
        fmt::format("no row of the table 'kernels', which has {}", known));
  }
}

}  // namespace

void check_tables(const std::vector<Table>& tables, Unknown unknown, Total& total,
                  const Place& launch) {
  OwnNames names;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Place place = launch.item("tables", i);
    place.refuse_control_characters(tables[i].name);
    names.add(tables[i].name, place);
    check_columns(tables[i], unknown, place);
    for (std::size_t column = 0; column < tables[i].columns.size(); ++column) {
      check_column(tables[i], column, total, place);
    }
    if (tables[i].name == metric::kGpuTrace) check_trace(tables[i], tables, place);
  }
}

}  // namespace labreport
