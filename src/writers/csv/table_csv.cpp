#include "writers/csv/table_csv.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/csv.h"
#include "base/text.h"

namespace labreport {
namespace {

CsvField number_field(const ColumnView& column, std::optional<double> number) {
  if (!number) return {};
  return csv_number(column.unit.starts_with('%') ? 100 * *number : *number);
}

CsvField value_field(const TableView& table, const RowView& row, std::size_t column) {
  const ColumnView& column_view = table.columns[column];
  const auto number = number_in_unit(row.cells[column], column_view.notation);
  if (number) return number_field(column_view, number);
  const std::string text = table.text(row, column);
  return text == kNoNumber ? CsvField() : csv_text(text);
}

/// The constructor adds the tables of a part, each with a name that no other table of the part has.
class PartTableAdder {
 public:
  PartTableAdder(std::vector<NamedTable>& tables, const Part& part)
      : tables_(tables), name_(part.name()) {
    for (const TableView& table : part.tables) {
      part.tables.size() == 1 ? add(name_, table) : add(name_ + "." + slug(table.slug), table);
    }
    for (const Figure& figure : part.figures) add(figure);
    for (const TableView& table : part.details.tables) add(name_ + "." + slug(table.slug), table);
    for (const Figure& figure : part.details.figures) add(figure);
  }

 private:
  void add(const Figure& figure) { add(name_ + ".figure-" + slug(figure.slug), figure.table); }

  void add(const std::string& name, const TableView& table) {
    if (table.columns.empty()) return;
    std::string unique_name = name;
    for (int suffix = 2; !used_names_.insert(unique_name).second; ++suffix)
      unique_name = name + "-" + std::to_string(suffix);
    tables_.push_back({unique_name, &table});
  }

  std::vector<NamedTable>& tables_;
  std::string name_;
  std::set<std::string> used_names_;
};

}  // namespace

std::string table_csv(const TableView& table) {
  CsvFields heads;
  std::vector<bool> has_deviation;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    has_deviation.push_back(std::ranges::any_of(table.rows, [c](const RowView& row) {
      return c < row.cells.size() && row.cells[c].deviation.has_value();
    }));
    heads.push_back(csv_text(table.columns[c].head()));
    if (!has_deviation[c]) continue;
    ColumnView deviation = table.columns[c];
    deviation.title += " deviation";
    heads.push_back(csv_text(deviation.head()));
  }
  heads.push_back(csv_text("note"));
  std::string csv = csv_line(heads);
  for (const RowView& row : table.rows) {
    CsvFields fields;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const bool has_cell = c < row.cells.size();
      fields.push_back(has_cell ? value_field(table, row, c) : CsvField());
      if (!has_deviation[c]) continue;
      fields.push_back(has_cell ? number_field(table.columns[c], row.cells[c].deviation)
                                : CsvField());
    }
    std::vector<std::string> remarks = row.flags;
    if (!row.missing_reason.empty()) remarks.insert(remarks.begin(), row.missing_reason);
    fields.push_back(csv_text(join(remarks, "; ")));
    csv += csv_line(fields);
  }
  return csv;
}

std::vector<NamedTable> named_tables(const Document& document) {
  std::vector<NamedTable> tables;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) PartTableAdder(tables, part);
  }
  if (!document.environment.columns.empty())
    tables.push_back({"environment", &document.environment});
  return tables;
}

}  // namespace labreport
