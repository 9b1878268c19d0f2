#include <algorithm>

#include "report/align.h"
#include "report/html_parts.h"
#include "report/template.h"

namespace labreport {
namespace {

std::string pad(const std::string& unseen) {
  return unseen.empty() ? "" : "<i data-pad=\"" + unseen + "\"></i>";
}

std::string number_html(const std::string& text, const Padding& padding) {
  const std::size_t sign = std::min(text.find(" ± "), text.size());
  return escape_html(text.substr(0, sign)) + pad(padding.middle) + escape_html(text.substr(sign)) +
         pad(padding.end);
}

/// Paddings of one column, by row; columns of words and short rows have empty ones.
std::vector<Padding> column_paddings(const TableView& table, std::size_t column) {
  if (table.columns[column].align != Align::kRight) return std::vector<Padding>(table.rows.size());
  std::vector<std::string> texts;
  for (const RowView& row : table.rows) {
    texts.push_back(column < row.cells.size() ? row.cells[column].text : "");
  }
  return align_decimals(texts);
}

TemplateObject cell_object(const TableView& table, std::size_t column, const CellView& cell,
                           const Padding& padding) {
  const ColumnView& view = table.columns[column];
  const bool right = view.align == Align::kRight;
  std::string style = right ? "number" : "words";
  if (cell.muted) style += " muted";
  return {{"head", column == 0 && !right && !view.code},
          {"code", view.code},
          {"style", style},
          {"html", right ? number_html(cell.text, padding) : escape_html(cell.text)}};
}

TemplateList head_list(const TableView& table) {
  TemplateList columns;
  for (const ColumnView& column : table.columns) {
    columns.push_back(TemplateObject{{"title", column.title},
                                     {"has_unit", !column.unit.empty()},
                                     {"unit", column.unit},
                                     {"number", column.align == Align::kRight}});
  }
  return columns;
}

std::string flags_text(const std::vector<std::string>& flags) {
  std::string text;
  for (const std::string& flag : flags) text += (text.empty() ? "" : ", ") + flag;
  return text;
}

}  // namespace

std::string table_html(const TableView& table) {
  const bool flagged =
      std::ranges::any_of(table.rows, [](const RowView& row) { return !row.flags.empty(); });
  std::vector<std::vector<Padding>> paddings;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    paddings.push_back(column_paddings(table, c));
  }
  TemplateList rows;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const RowView& row = table.rows[r];
    const std::size_t count = std::min(row.cells.size(), table.columns.size());
    TemplateList cells;
    for (std::size_t c = 0; c < count; ++c) {
      cells.push_back(cell_object(table, c, row.cells[c], paddings[c][r]));
    }
    const std::size_t rest = table.columns.size() - count;
    rows.push_back(TemplateObject{{"cells", cells},
                                  {"noted", rest > 0},
                                  {"span", std::to_string(rest)},
                                  {"note", row.note.empty() ? "–" : row.note},
                                  {"flags", flags_text(row.flags)}});
  }
  return fill_template("table.html", {{"title", table.title},
                                      {"columns", head_list(table)},
                                      {"flagged", flagged},
                                      {"rows", rows}});
}

}  // namespace labreport
