// A dataset holds the rows that an experiment computed from a run. Tables, figures and CSV files
// are made of it. Each column is declared once, beside the type of the rows.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A column of a dataset whose rows are made of type `Row`.
template <typename Row>
struct Column {
  std::string name;  ///< The name in figures and CSV: "forward_ms".
  std::string title;
  std::function<Value(const Row&)> value;  ///< A member, or a value computed from several.
  std::string unit = {};
  Notation notation = {};
};

/// A column of a dataset, whatever type its rows were made of.
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
  std::string finding = {};  ///< Plain text that a figure of these rows has for its `finding`.
  /// Data of the script that replaces the chart in the page, see `Figure::script_data`. Null if the
  /// page shows the chart.
  nlohmann::json script_data = {};
};

/// Computes the cells of each row with `columns`. Copies the members `flags` and `id` if `Row` has
/// them.
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

/// Makes a table. Columns of words, and of numbers that name their row, are left-aligned. The
/// leading ones of these columns are the row's labels. A column without any value is left out
/// unless it is a label or the first column. If all numbers of a row are missing, their reason
/// replaces them; if some are, the reason is a flag of the row. Throws `Error` for a name that no
/// column has.
TableView table_of(const Dataset& dataset, const ColumnChoice& choice = {});

/// True if a figure uses the field of that name. An empty function accepts all fields.
using FieldFilter = std::function<bool(const std::string& name)>;

/// Returns a JSON object for each row, without the fields that `filter` rejects. Each column is a
/// field `<name>`, null if the value is missing. A number also has the fields `<name>_text`, its
/// text in tables, and `<name>_deviation` if there is one. The field `reason` says why a number is
/// missing.
nlohmann::json json_rows(const Dataset& dataset, const FieldFilter& filter = {});

}  // namespace labreport
