// Markdown's pipe tables, as GitHub, pandas and tabulate write them.
#include <algorithm>
#include <cctype>

#include "imports/lines.h"

namespace labreport {
namespace {

/// Cells between pipes; "\|" is no border. A pipe at either end is none of a cell.
std::vector<std::string> cells_of(std::string_view line) {
  line = without_spaces(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escaped = line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|';
    if (escaped) ++i;
    if (line[i] == '|' && !escaped) {
      if (i + 1 < line.size()) cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = without_spaces(cell);
  return cells;
}

/// "|:---|---:|", also with "+" between, as org-mode has it: the number of its columns, else 0.
std::size_t dashed_columns(std::string_view line) {
  std::string text(line);
  std::replace(text.begin() + (text.empty() ? 0 : 1), text.end(), '+', '|');
  if (text.find('-') == text.npos || text.find_first_not_of(" \t:|-") != text.npos) return 0;
  if (text.find('|') == text.npos) return 0;
  const auto cells = cells_of(text);
  const bool all = std::ranges::all_of(
      cells, [](const std::string& cell) { return cell.find('-') != cell.npos; });
  return all ? cells.size() : 0;
}

/// "c)  model | …": a list's mark in front of a table that lacks its first pipe.
std::string_view without_list_mark(std::string_view line) {
  const std::string_view text = without_spaces(line);
  const std::size_t mark = text.find_first_of(".)");
  const bool marked = mark == 1 || mark == 2;
  if (!marked || mark + 1 >= text.size() || text[mark + 1] != ' ') return line;
  const bool plain = std::ranges::all_of(
      text.substr(0, mark), [](unsigned char letter) { return std::isalnum(letter) != 0; });
  return plain ? text.substr(mark + 1) : line;
}

}  // namespace

std::optional<FoundTable> pipe_table(const std::vector<std::string_view>& lines,
                                     std::size_t begin) {
  if (begin + 1 >= lines.size() || lines[begin].find('|') == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t columns = dashed_columns(lines[begin + 1]);
  FoundTable found;
  found.table.form = TableForm::kPipes;
  found.table.header = cells_of(without_list_mark(lines[begin]));
  if (columns == 0 || columns != found.table.header.size()) return std::nullopt;
  std::size_t i = begin + 2;
  for (; i < lines.size() && lines[i].find('|') != std::string_view::npos; ++i) {
    if (dashed_columns(lines[i]) == 0) found.table.rows.push_back({i + 1, cells_of(lines[i])});
  }
  found.end = i;
  return found;
}

}  // namespace labreport
