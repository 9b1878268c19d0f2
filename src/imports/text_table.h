// Tables in a text as people publish them: found, split into cells, not yet understood.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

struct TableRow {
  std::size_t line = 0;  ///< 1-based, in the text.
  std::vector<std::string> cells;
};

struct TextTable {
  std::string_view form;  ///< "Markdown", "separated values", "aligned columns"
  std::size_t line = 0;   ///< Of the header.
  std::vector<std::string> header;
  std::vector<TableRow> rows;
  std::size_t broken_line = 0;  ///< Of a quote that is not closed; 0: none.
};

/// Every table of a text, in its order, also such as hold no measurements:
/// - Markdown: "| a | b |" above a line of dashes; rows that end early are filled up;
/// - commas, tabs or semicolons between fields; quotes as in RFC 4180, closed in their line;
/// - columns two spaces apart, as pandas prints a frame, with or without its index; two rows at
///   least, or prose would do.
/// Cells and names come without Markdown's emphasis, code marks and dollars, a text without a byte
/// order mark and carriage returns at a line's end. Linear in the text.
std::vector<TextTable> find_tables(std::string_view text);

/// Throws `InputError` for rows that are longer or shorter than their header, for an open quote,
/// and for tables beyond 256 columns or 10,000 rows.
void check_shape(const TextTable& table, const std::string& file);

/// For messages: control characters shown as "?", cut after 60 bytes, between quotes.
std::string in_quotes(std::string_view text);

/// "FILE: line 12: problem; remedy". Throws `InputError`.
[[noreturn]] void refuse_line(const std::string& file, std::size_t line, const std::string& problem,
                              const std::string& remedy = "");

}  // namespace labreport
