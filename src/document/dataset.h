// Datasets: what an experiment computed from a run, typed, each column declared once. A dataset is
// the source of tables (a choice of its columns), the data of figures, and a CSV.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A column of rows of one struct, declared beside it.
template <typename Row>
struct Column {
  std::string name;  ///< In figures and CSV: "forward_ms".
  std::string title;
  std::function<Value(const Row&)> value;  ///< A member, or a value computed from several.
  std::string unit = {};
  Notation notation = {};
};

struct DataColumn {
  std::string name, title, unit;
  Notation notation;
};

struct Dataset {
  std::string name;
  std::vector<DataColumn> columns;
  std::vector<RowView> rows;  ///< One cell a column.
  /// Datasets of one name that vary in one condition have the same family, the condition's name
  /// ("Context"), and different variants ("512"). Each becomes a table or figure of its own.
  std::string family = {};
  std::string variant = {};
  /// Data of the interactive figure that the page shows in place of the chart, see `Figure::live`;
  /// null for the chart.
  nlohmann::json live = {};
};

/// Fills the rows' cells, and flags and id from members of these names if the row has them.
template <typename Row>
Dataset make_dataset(std::string name, const std::vector<Column<Row>>& columns,
                     const std::vector<Row>& rows) {
  Dataset dataset{.name = std::move(name), .columns = {}, .rows = {}};
  for (const auto& column : columns) {
    dataset.columns.push_back({column.name, column.title, column.unit, column.notation});
  }
  for (const Row& row : rows) {
    RowView& data = dataset.rows.emplace_back();
    for (const auto& column : columns) data.cells.push_back(column.value(row));
    if constexpr (requires { row.flags; }) data.flags = row.flags;
    if constexpr (requires { row.id; }) data.id = row.id;
  }
  return dataset;
}

/// The columns of a table, by name and in this order; empty for all.
using ColumnChoice = std::vector<std::string>;

/// Makes a table. Columns of words and of names are left-aligned. A column without any value is
/// left out, unless it holds the rows' names. The reason for missing numbers replaces a whole row's
/// numbers or is beside the row. Throws `Error` for a name that no column has.
TableView table_of(const Dataset& dataset, const ColumnChoice& choice = {});

/// True if a figure uses the field of that name; without a function it uses all.
using WantedField = std::function<bool(const std::string& name)>;

/// Returns one object a row, with each column by its name, `<name>_text` as in tables,
/// `<name>_deviation` if there is one, and `reason` if a number is missing.
nlohmann::json rows_of(const Dataset& dataset, const WantedField& wanted = {});

}  // namespace labreport
