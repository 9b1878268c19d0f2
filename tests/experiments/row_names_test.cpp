// Tests that each row of a table is named: its words and the numbers that name rows are those of no
// other row, so that two cells of a run never look alike.
#include <gtest/gtest.h>

#include <set>

#include "experiments/sample_runs.h"
#include "results/shipped_runs.h"
#include "writers/csv/table_csv.h"

namespace labreport::row_names_test {
namespace {

std::string row_name(const TableView& table, const RowView& row) {
  std::string name;
  for (std::size_t c = 0; c < row.cells.size(); ++c) {
    if (table.columns[c].align == Align::kLeft) name += table.text(row, c) + " | ";
  }
  return name;
}

TEST(RowNames, DifferInEveryTableOfRecordedRuns) {
  const auto runs = testing_shipped::measured_runs();
  if (runs.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
  for (const auto& run : runs) {
    const Document document = build_document(run, true);
    for (const NamedTable& named : named_tables(document)) {
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
