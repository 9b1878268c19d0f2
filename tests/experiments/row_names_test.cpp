// Tests that each row of a table is named: its words and the numbers that name rows are those of no
// other row, so that two cells of a run never look alike.
#include <gtest/gtest.h>

#include <set>

#include "experiments/sample_runs.h"
#include "results/shipped_runs.h"
#include "writers/csv/table_csv.h"

namespace labreport::row_names_test {
namespace {

/// Returns the row's words, and the numbers before the first one that is measured: contexts, sizes,
/// numbers of ranks.
std::string row_name(const TableView& table, const RowView& row) {
  std::string name;
  bool is_leading = true;
  for (std::size_t c = 0; c < row.cells.size(); ++c) {
    const auto& [title, unit, align, is_code, notation] = table.columns[c];
    const bool is_number = row.cells[c].number() != nullptr;
    const bool is_count =
        notation.form == Notation::kCount || notation.form == Notation::kRowNumber;
    is_leading = is_leading && (!is_number || is_count || unit == "MB" || unit == "B");
    if (!is_number || is_leading) name += table.text(row, c) + " | ";
  }
  return name;
}

/// True for tables of kernels and of allocations, several of which may have one name.
bool has_no_cells(const std::string& table) {
  return table == "nsys_profile.b.kernel-summary" ||
         table.starts_with("memory_profiling.a.figure-memory-lifetimes");
}

TEST(RowNames, DifferInEveryTableOfRecordedRuns) {
  const auto runs = testing_shipped::measured_runs();
  if (runs.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
  for (const auto& run : runs) {
    const Document document = build_document(run, true);
    for (const NamedTable& named : named_tables(document)) {
      if (has_no_cells(named.name)) continue;
      std::set<std::string> names;
      for (const RowView& row : named.table->rows) {
        EXPECT_TRUE(names.insert(row_name(*named.table, row)).second)
            << run.sessions[0].started_at << ' ' << named.name << ": "
            << row_name(*named.table, row);
      }
    }
  }
}

}  // namespace
}  // namespace labreport::row_names_test
