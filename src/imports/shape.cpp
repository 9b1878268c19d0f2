// Tables that are what they seem: as many cells as columns, a bounded size.
#include <fmt/format.h>

#include "base/error.h"
#include "base/format.h"
#include "imports/reading.h"

namespace labreport {
namespace {

constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kMostRows = 10'000;

}  // namespace

void refuse_line(const std::string& file, std::size_t line, const std::string& problem,
                 const std::string& remedy) {
  throw InputError(fmt::format("{}: line {}: {}", file, line, problem), remedy);
}

void check_shape(TextTable& table, const std::string& file) {
  const std::size_t columns = table.header.size();
  if (table.broken_line != 0) {
    refuse_line(file, table.broken_line, "a quote is never closed", "close it, or double it");
  }
  if (columns > kMostColumns || table.rows.size() > kMostRows) {
    refuse_line(file, table.line,
                fmt::format("a table of {} columns and {} rows", format_count(columns),
                            format_count(table.rows.size())),
                fmt::format("at most {} and {} are read", kMostColumns, format_count(kMostRows)));
  }
  for (TableRow& row : table.rows) {
    const bool may_lack = table.form == TableForm::kPipes;  // Markdown lets rows end early.
    if (may_lack && row.cells.size() < columns) row.cells.resize(columns);
    if (row.cells.size() == columns) continue;
    refuse_line(file, row.line,
                fmt::format("{} in a table of {}", format_plural(row.cells.size(), "field"),
                            format_plural(columns, "column")));
  }
}

}  // namespace labreport
