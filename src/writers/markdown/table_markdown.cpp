#include <algorithm>

#include "document/facts.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

/// Verbatim text in a table: fenced by more backticks than it holds, its bars escaped for the
/// table.
std::string code_span(const std::string& text) {
  if (text.empty()) return "";
  const bool ticked = text.find('`') != std::string::npos;
  std::string code = ticked ? "`` " : "`";
  for (const char letter : text) {
    if (letter == '|') code.push_back('\\');
    code.push_back(letter == '\n' ? ' ' : letter);
  }
  return code + (ticked ? " ``" : "`");
}

std::string row_markdown(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::vector<std::string> row_cells(const TableView& table, const RowView& row, bool flagged) {
  std::vector<std::string> cells;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (c < row.cells.size()) {
      const std::string& text = row.text(c);
      cells.push_back(table.columns[c].code ? code_span(text) : escape_markdown(text));
    } else {
      cells.push_back(c == row.cells.size() ? escape_markdown(row.reason()) : "");
    }
  }
  if (flagged) cells.push_back(escape_markdown(row.remarks()));
  return cells;
}

}  // namespace

std::string table_markdown(const TableView& table) {
  const bool flagged =
      std::ranges::any_of(table.rows, [](const RowView& row) { return !row.flags.empty(); });
  std::vector<std::string> heads;
  std::vector<std::string> rules;
  for (const ColumnView& column : table.columns) {
    heads.push_back(escape_markdown(column.head()));
    rules.push_back(column.align == Align::kRight ? "---:" : "---");
  }
  if (flagged) {
    heads.push_back("Remarks");
    rules.push_back("---");
  }
  std::string text = table.title.empty() ? "" : "**" + escape_markdown(table.title) + "**\n\n";
  text += row_markdown(heads) + row_markdown(rules);
  for (const RowView& row : table.rows) text += row_markdown(row_cells(table, row, flagged));
  return text + "\n";
}

}  // namespace labreport
