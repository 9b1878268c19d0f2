// Tests that each table cell's number, which tables/*.csv contains, is the one that its text shows.
#include <gtest/gtest.h>

#include <cmath>

#include "base/files.h"
#include "experiments/sample_runs.h"
#include "results/run_json.h"
#include "results/shipped_runs.h"
#include "writers/csv/table_csv.h"

namespace labreport::table_numbers_test {
namespace {

/// A number read from a text.
struct ShownNumber {
  double value = 0;
  double tolerance = 0;  ///< Half of a unit in the last digit.
};

/// Returns nothing if the text is no number.
std::optional<ShownNumber> read_number(std::string text) {
  std::erase(text, ',');
  std::size_t end = 0;
  ShownNumber number;
  try {
    number.value = std::stod(text, &end);
  } catch (const std::exception&) {
    return {};
  }
  if (end != text.size()) return {};
  const std::size_t point = text.find('.');
  const auto decimals = point == std::string::npos ? 0 : text.size() - point - 1;
  number.tolerance = 0.51 * std::pow(10.0, -static_cast<double>(decimals));
  return number;
}

void expect_agreement(const NamedTable& named, const ColumnView& column, const Value& cell) {
  const std::string words = format_cell(cell, column.notation).value;
  const auto shown_number = read_number(words);
  const auto cell_number = number_in_unit(cell, column.notation);
  if (!cell_number || !shown_number) return;
  // Significant digits, at least two, may end before the point.
  const double tolerance = std::max(shown_number->tolerance, 0.05 * std::abs(shown_number->value));
  const double number = column.unit.starts_with('%') ? 100 * *cell_number : *cell_number;
  EXPECT_NEAR(number, shown_number->value, tolerance)
      << named.name << ", " << column.title << " (" << column.unit << "): " << words;
}

void expect_agreement(const Document& document) {
  for (const NamedTable& named : named_tables(document)) {
    for (const RowView& row : named.table->rows) {
      for (std::size_t c = 0; c < row.cells.size(); ++c) {
        expect_agreement(named, named.table->columns[c], row.cells[c]);
      }
    }
  }
}

TEST(TableNumbers, AgreeWithTheirTextInRecordedRuns) {
  const auto runs = testing_shipped::measured_runs();
  if (runs.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
  for (const auto& run : runs) expect_agreement(build_document(run, true));
}

}  // namespace
}  // namespace labreport::table_numbers_test
