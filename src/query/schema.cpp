#include <sqlite3.h>

#include "base/text.h"
#include "embedded/query.h"
#include "query/fit_table.h"
#include "results/cell_columns.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::size_t kLettersBeforeComment = 33;

struct SqlColumn {
  std::string name;
  std::string type;
  std::string comment = {};
};

/// Returns a commented "create table". The column after the others is the table's `key`, if any.
std::string create_table(std::string_view comment, std::string_view name,
                         const std::vector<SqlColumn>& columns, const std::string& key,
                         std::string_view options) {
  std::string sql = "-- " + std::string(comment) + "\ncreate table " + std::string(name) + " (\n";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [column, type, words] = columns[i];
    const bool is_keyword = sqlite3_keyword_check(column.data(), int(column.size())) != 0;
    std::string line = "  " + (is_keyword ? '"' + column + '"' : column) + " " + type;
    if (i + 1 < columns.size() || !key.empty()) line += ",";
    if (!words.empty()) line = padded(line, kLettersBeforeComment, Pad::kRight) + "-- " + words;
    sql += line + "\n";
  }
  if (!key.empty()) sql += "  primary key " + key + "\n";
  return sql + ") " + std::string(options) + ";\n";
}

std::string create_cell_table() {
  std::vector<SqlColumn> columns{{"cell", "integer primary key"}, {"run", "text not null"}};
  for (const CellColumn& column : cell_columns()) {
    const std::string type = column.is_integer ? "integer" : "text";
    columns.push_back(
        {column.name, type + (column.has_each_value ? " not null" : ""), column.comment});
  }
  return create_table(
      "What was to be measured, in the order of the plan. A kind leaves parameters NULL that it "
      "does "
      "not use.",
      "cell", columns, "", "strict");
}

std::string create_measured_table(const TableShape& shape) {
  std::vector<SqlColumn> columns{{"launch", "integer not null"}, {"i", "integer not null"}};
  for (const ColumnShape& column : shape.columns) {
    const char* type = column.kind == ColumnKind::kText      ? "text"
                       : column.kind == ColumnKind::kOrdinal ? "integer"
                                                             : "real";
    columns.push_back({column.name, type, column.comment});
  }
  return create_table(shape.comment, shape.name, columns, "(launch, i)", "strict, without rowid");
}

std::string create_fit_table() {
  std::vector<SqlColumn> columns;
  for (const FitColumn& column : fit_columns())
    columns.push_back({column.name, column.type, column.comment});
  return create_table(
      "Whether a step of labreport's network fits a GPU: for the sizes of the runs and their "
      "editions, on the\n-- GPUs of the runs and of data sheets. The runs asked for are the "
      "evidence.",
      "fits", columns, "", "strict");
}

}  // namespace

std::string query_schema() {
  std::string measured;
  for (const TableShape& shape : table_shapes()) {
    measured += (measured.empty() ? "" : "\n") + create_measured_table(shape);
  }
  const std::string schema(embedded::query().at("src/query/schema.sql"));
  std::string text = replaced(schema, "{{cell}}\n", create_cell_table());
  text = replaced(text, "{{fits}}\n", create_fit_table());
  return replaced(text, "{{measured}}\n", measured);
}

}  // namespace labreport
