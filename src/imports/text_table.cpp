#include "imports/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/error.h"
#include "base/format.h"
#include "base/text.h"

namespace labreport {
namespace {

constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kMostTableRows = 10'000;
constexpr std::size_t kLongestQuote = 60;

using Lines = std::vector<std::string_view>;
using Cells = std::vector<std::string>;

bool is_blank(std::string_view line) { return trimmed(line).empty(); }
bool has(std::string_view line, char letter) { return line.find(letter) != line.npos; }

Lines lines_of(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    if (lines.back().ends_with('\r')) lines.back().remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Without Markdown's emphasis, code marks and dollars: "**small**" → "small".
std::string plain_cell(std::string_view text) {
  std::string plain(text);
  std::erase_if(plain, [](char letter) { return letter == '*' || letter == '`' || letter == '$'; });
  return std::string(trimmed(plain));
}

/// Names may hold single spaces.
Cells aligned_cells(std::string_view line) {
  Cells cells;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    std::size_t end = 1;
    while (end < line.size() && line[end] != '\t' && !line.substr(end).starts_with("  ")) ++end;
    cells.push_back(plain_cell(line.substr(0, end)));
    line.remove_prefix(end);
  }
  return cells;
}

/// Between pipes, "\|" is no border, and a border may stand at either end. Between others, a field
/// may stand in quotes, doubled within; nothing where they are not closed.
std::optional<Cells> cells_of(std::string_view line, char separator) {
  if (separator == ' ') return aligned_cells(line);
  const bool pipes = separator == '|';
  if (pipes) line = trimmed(line);
  if (pipes && line.starts_with('|')) line.remove_prefix(1);
  if (pipes && line.ends_with('|') && !line.ends_with("\\|")) line.remove_suffix(1);
  Cells cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::string& cell = cells.back();
    const std::string_view rest = line.substr(i);
    if (pipes ? rest.starts_with("\\|") : quoted && rest.starts_with("\"\"")) {
      cell += line[++i];
    } else if (line[i] == '"' && !pipes && (quoted || cell.empty())) {
      quoted = !quoted;
    } else if (line[i] == separator && !quoted) {
      cells.emplace_back();
    } else if (quoted || line[i] != ' ' || !cell.empty()) {
      cell += line[i];
    }
  }
  for (std::string& cell : cells) cell = plain_cell(cell);
  return quoted ? std::nullopt : std::optional(std::move(cells));
}

/// "|:---|---:|"
bool is_rule(std::string_view line) {
  if (!has(line, '|') || line.find_first_not_of(" \t:|-") != line.npos) return false;
  return std::ranges::all_of(*cells_of(line, '|'),
                             [](const std::string& cell) { return has(cell, '-'); });
}

bool begins_pipes(const Lines& lines, std::size_t at) {
  return at + 1 < lines.size() && has(lines[at], '|') && is_rule(lines[at + 1]) &&
         cells_of(lines[at], '|')->size() == cells_of(lines[at + 1], '|')->size();
}

/// What is between the columns of a table that begins in that line; nothing where none does.
std::optional<char> separator_at(const Lines& lines, std::size_t at) {
  if (at + 1 >= lines.size() || is_blank(lines[at])) return std::nullopt;
  if (begins_pipes(lines, at)) return '|';
  const std::size_t kind = std::string_view("\t,;").find_first_of(lines[at]);
  if (kind != std::string_view::npos && !is_blank(lines[at + 1]) && !begins_pipes(lines, at + 1)) {
    // Prose with commas is a table only if its first two lines agree.
    const auto header = cells_of(lines[at], "\t,;"[kind]);
    const auto first = cells_of(lines[at + 1], "\t,;"[kind]);
    if (header && (!first || first->size() == header->size())) return "\t,;"[kind];
  }
  if (at + 2 >= lines.size()) return std::nullopt;
  const std::size_t names = aligned_cells(lines[at]).size();
  const std::size_t columns = aligned_cells(lines[at + 1]).size();
  const bool aligned = names > 1 && (columns == names || columns == names + 1) &&
                       aligned_cells(lines[at + 2]).size() == columns;
  return aligned ? std::optional(' ') : std::nullopt;
}

/// Words that are no row stand right behind some tables.
bool ends_table(const Lines& lines, std::size_t at, char separator, std::size_t columns) {
  if (at >= lines.size() || is_blank(lines[at]) || lines[at].starts_with("```")) return true;
  if (separator == '|') return !has(lines[at], '|');
  if (begins_pipes(lines, at)) return true;
  return separator == ' ' && lines[at].find_first_of("0123456789") == std::string_view::npos &&
         aligned_cells(lines[at]).size() != columns;
}

/// "c)  model | …": a list's mark in front of a table that lacks its first pipe.
std::string_view without_list_mark(std::string_view line) {
  const std::size_t mark = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789");
  const bool marked = mark != line.npos && mark > 0 && mark < 3 &&
                      (line.substr(mark).starts_with(") ") || line.substr(mark).starts_with(". "));
  return marked ? line.substr(mark + 1) : line;
}

/// Sets `end` to the first line behind it.
TextTable table_from(const Lines& lines, std::size_t begin, char separator, std::size_t& end) {
  const bool pipes = separator == '|';
  TextTable table;
  table.form = pipes ? "Markdown" : separator == ' ' ? "aligned columns" : "separated values";
  table.line = begin + 1;
  table.header = *cells_of(pipes ? without_list_mark(lines[begin]) : lines[begin], separator);
  const std::size_t columns = table.header.size();
  for (end = begin + 1; !ends_table(lines, end, separator, columns); ++end) {
    if (pipes && is_rule(lines[end])) continue;
    auto cells = cells_of(lines[end], separator);
    if (!cells) {
      table.broken_line = end + 1;
      break;
    }
    if (pipes) cells->resize(std::max(cells->size(), columns));
    table.rows.push_back({end + 1, std::move(*cells)});
  }
  const bool indexed =
      separator == ' ' && !table.rows.empty() && table.rows.front().cells.size() == columns + 1;
  if (indexed) table.header.insert(table.header.begin(), "");
  return table;
}

}  // namespace

std::vector<TextTable> find_tables(std::string_view text) {
  const Lines lines = lines_of(text);
  std::vector<TextTable> tables;
  for (std::size_t i = 0; i < lines.size();) {
    if (const auto separator = separator_at(lines, i)) {
      tables.push_back(table_from(lines, i, *separator, i));
    } else {
      ++i;
    }
  }
  return tables;
}

std::string in_quotes(std::string_view text) {
  std::string shown = cut_short(text, kLongestQuote);
  std::ranges::replace_if(shown, [](unsigned char letter) { return std::iscntrl(letter); }, '?');
  return "'" + shown + "'";
}

void refuse_line(const std::string& file, std::size_t line, const std::string& problem,
                 const std::string& remedy) {
  throw InputError(fmt::format("{}: line {}: {}", file, line, problem), remedy);
}

void check_shape(const TextTable& table, const std::string& file) {
  const std::size_t columns = table.header.size();
  if (table.broken_line != 0) {
    refuse_line(file, table.broken_line, "a quote is not closed in its line", "close or double it");
  }
  if (columns > kMostColumns || table.rows.size() > kMostTableRows) {
    refuse_line(
        file, table.line,
        fmt::format("a table of {} columns and {} rows", format_count(columns),
                    format_count(table.rows.size())),
        fmt::format("at most {} and {} are read", kMostColumns, format_count(kMostTableRows)));
  }
  for (const TableRow& row : table.rows) {
    if (row.cells.size() == columns) continue;
    refuse_line(file, row.line,
                fmt::format("{} in a table of {}", format_plural(row.cells.size(), "field"),
                            format_plural(columns, "column")));
  }
}

}  // namespace labreport
