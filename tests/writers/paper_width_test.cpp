#include "writers/paper_width.h"

#include <gtest/gtest.h>

namespace labreport {
namespace {

TableView table_of(std::size_t columns, const ColumnView& column, const std::string& text) {
  TableView table;
  table.columns.assign(columns, column);
  table.rows.push_back(
      {.cells = std::vector<CellView>(columns, CellView{text, {}}), .flags = {}, .note = {}});
  return table;
}

TEST(PaperWidth, AFewNumbersNeedHalfASheet) {
  EXPECT_FALSE(is_wide_on_paper(table_of(6, {.title = "Time", .unit = "ms"}, "12.34")));
  EXPECT_FALSE(is_wide_on_paper({}));
}

TEST(PaperWidth, NumbersAreNeverBroken) {
  EXPECT_TRUE(is_wide_on_paper(table_of(6, {.title = "Time", .unit = "ms"}, "1,134.22 ± 0.13")));
}

TEST(PaperWidth, HeadsBreakBetweenWordsAndAtHyphens) {
  EXPECT_FALSE(
      is_wide_on_paper(table_of(6, {.title = "Floating-point rate of all", .unit = ""}, "1")));
  EXPECT_TRUE(is_wide_on_paper(table_of(6, {.title = "Multiplications", .unit = ""}, "1")));
}

TEST(PaperWidth, ACommandGoesOverSeveralLines) {
  const ColumnView code{.title = "Command", .unit = "", .align = Align::kLeft, .code = true};
  EXPECT_FALSE(is_wide_on_paper(table_of(1, code, std::string(500, 'x'))));
}

}  // namespace
}  // namespace labreport
