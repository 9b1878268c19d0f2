// Tables in a text as people publish them: found, split into cells, not yet understood.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

enum class TableForm {
  kPipes,      ///< Markdown: "| a | b |" above a line of dashes
  kSeparated,  ///< commas, tabs or semicolons, quoted as in RFC 4180
  kAligned,    ///< columns apart by spaces, as pandas prints a frame, with or without its index;
               ///< two rows at least, or prose would do
};

struct TableRow {
  std::size_t line = 0;  ///< 1-based, in the text.
  std::vector<std::string> cells;
};

struct TextTable {
  TableForm form = TableForm::kPipes;
  std::size_t line = 0;  ///< Of the header.
  std::vector<std::string> header;
  std::vector<TableRow> rows;
  std::string nearby;  ///< The few lines above: a caption, a heading.
  /// Context lengths that words above earlier tables name; see `share_contexts`.
  std::set<std::int64_t> earlier_contexts = {};
  std::size_t broken_line = 0;  ///< Of a quote that is never closed; 0: none.
};

/// "Markdown", "separated values", "aligned columns"
std::string_view describe(TableForm form);

/// Every table of a text, in its order, also such as hold no measurements. A byte order mark and
/// carriage returns at a line's end are no part of it. A pure function of the text, linear in its
/// length; rows keep as many cells as they have.
std::vector<TextTable> find_tables(std::string_view text);

}  // namespace labreport
