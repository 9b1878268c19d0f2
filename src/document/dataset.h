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
  std::function<Value(const Row&)> value;  ///< A member, or what is computed from several.
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
  /// Datasets of one name that hold the same under one varying condition name it alike ("Context")
  /// and themselves apart ("512"): each is a table or figure of its own.
  std::string family = {};
  std::string variant = {};
  /// For a figure over this dataset: what the page makes interactive in place of its chart, see
  /// `Figure::live`; null: the chart itself.
  nlohmann::json live = {};
};

/// A row's flags and id are its members of that name, where it has them.
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

/// Which columns a table shows, by name and in this order; none: all.
using ColumnChoice = std::vector<std::string>;

/// Columns of words and of names stand left. A column without a value in any row is left out,
/// unless it holds the rows' names; what is missing says why: in place of a whole row's numbers, or
/// beside the row. Throws `Error` for a name that no column has.
TableView table_of(const Dataset& dataset, const ColumnChoice& choice = {});

/// Whether a figure uses the field of that name; none: it uses all.
using WantedField = std::function<bool(const std::string& name)>;

/// One object a row: each column by its name, `<name>_text` as tables have it, `<name>_deviation`
/// where there is one, and `reason` where a number is missing.
nlohmann::json rows_of(const Dataset& dataset, const WantedField& wanted = {});

}  // namespace labreport
