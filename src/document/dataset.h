// A dataset holds typed rows that an experiment computed from a run; each column is declared once.
// Tables (of chosen columns), figures and a CSV are made of it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A column of a table whose rows are of type `Row`, declared beside that struct.
template <typename Row>
struct Column {
  std::string name;  ///< The name in figures and CSV: "forward_ms".
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
  std::vector<RowView> rows;  ///< Each row has one cell for each column.
  /// Datasets of one name that vary in one condition have the same family, the condition's name
  /// ("Context"), and different variants ("512"). Each becomes a table or figure of its own.
  std::string family = {};
  std::string variant = {};
  /// Data of the interactive figure that the page shows in place of the chart, see `Figure::live`;
  /// null if the page shows the chart.
  nlohmann::json live = {};
};

/// Makes the cells of each row by `columns`, and copies members `flags` and `id` if `Row` has them.
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
/// left out unless it is the first or among the leading columns of words. If all numbers of a row
/// are missing, their reason replaces them; if some are, the reason is a flag of the row. Throws
/// `Error` for a name that no column has.
TableView table_of(const Dataset& dataset, const ColumnChoice& choice = {});

/// True if a figure uses the field of that name. An empty function wants all fields.
using WantedField = std::function<bool(const std::string& name)>;

/// Returns an object for each row. Each column is a field `<name>`, null if the value is missing.
/// Numbers also have `<name>_text`, formatted as in tables, and `<name>_deviation` if there is one.
/// `reason` says why a number is missing.
nlohmann::json rows_of(const Dataset& dataset, const WantedField& wanted = {});

}  // namespace labreport
