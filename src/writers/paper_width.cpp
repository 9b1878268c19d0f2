#include "writers/paper_width.h"

#include <algorithm>

#include "base/text.h"

namespace labreport {
namespace {

// In characters of the small type; print.css sets two columns of 91 mm. What is wider than it need
// be can still be set; what is narrow and wraps into towers would cost more than it saves.
constexpr std::size_t kHalfSheet = 64;
constexpr std::size_t kGap = 1;         // Between columns of a table.
constexpr std::size_t kLongWords = 24;  // Beyond that, words may go over several lines.

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : split(text, ' ')) {
    for (const std::string& piece : split(word, '-'))
      longest = std::max(longest, letter_count(piece));
  }
  return longest;
}

std::size_t cell_width(const ColumnView& column, const CellView& cell) {
  if (column.align == Align::kRight) return letter_count(cell.text);
  return std::min(letter_count(cell.text), kLongWords);
}

std::size_t column_width(const TableView& table, std::size_t index) {
  const ColumnView& column = table.columns[index];
  std::size_t width = std::max(longest_word(column.title), letter_count(column.unit));
  for (const RowView& row : table.rows) {
    if (index < row.cells.size()) width = std::max(width, cell_width(column, row.cells[index]));
  }
  return width;
}

}  // namespace

bool is_wide_on_paper(const TableView& table) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) width += column_width(table, i) + kGap;
  return width > kHalfSheet;
}

}  // namespace labreport
