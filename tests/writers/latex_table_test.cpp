#include "writers/latex/latex_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "writers/sample_parts.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;

TableView small_table() {
  TableView table{.slug = "times", .title = "Times", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, {"forward", "ms"}, {"backward", "ms"}};
  table.rows = {
      {.cells = {words("small"), words("9.5 ± 0.1"), words("1.25")}, .flags = {}, .note = ""},
      {.cells = {words("xl"), words("10.25 ± 0.01"), words("12")}, .flags = {}, .note = ""}};
  return table;
}

TEST(LatexTable, HasRulesACaptionAndALabel) {
  const std::string latex = table_latex(small_table(), "tab:times", "H");
  EXPECT_THAT(latex, HasSubstr("\\begin{table}[H]"));
  EXPECT_THAT(latex, HasSubstr("\\caption{Times}\\label{tab:times}"));
  EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{lrr}\n\\toprule\n"));
  EXPECT_THAT(latex, Not(HasSubstr("|")));
}

TEST(LatexTable, LinesDecimalsUp) {
  const std::string latex = table_latex(small_table(), "tab:times", "H");
  EXPECT_THAT(latex, HasSubstr("9.5\\phantom{0}~\\ensuremath{\\pm}~0.1\\phantom{0} & 1.25"));
  EXPECT_THAT(latex, HasSubstr("12\\phantom{.00} \\tabularnewline"));
}

TEST(LatexTable, AReasonTakesTheRestOfItsRow) {
  TableView table = small_table();
  table.rows[1] = {.cells = {words("xl")}, .flags = {}, .note = "out of memory"};
  EXPECT_THAT(table_latex(table, "t", "H"), HasSubstr("xl & \\multicolumn{2}{l}{out of memory} "));
  table.rows[1].note = std::string(100, 'x') + " long";
  EXPECT_THAT(table_latex(table, "t", "H"),
              HasSubstr("\\multicolumn{2}{>{\\raggedright\\arraybackslash}p{"));
}

TEST(LatexTable, RemarksHaveAColumnWhereThereAreSome) {
  TableView table = small_table();
  EXPECT_THAT(table_latex(table, "t", "H"), Not(HasSubstr("Remarks")));
  table.rows[0].flags = {"outlier", "shared GPU"};
  EXPECT_THAT(table_latex(table, "t", "H"), HasSubstr("& outlier, shared GPU \\tabularnewline"));
}

TEST(LatexTable, WhatIsTooWideIsCutBehindItsFirstColumn) {
  TableView table = small_table();
  for (int i = 0; i < 20; ++i) {
    table.columns.push_back({"step " + std::to_string(i), "ms"});
    for (RowView& row : table.rows) row.cells.push_back(words("123.456"));
  }
  const std::string latex = table_latex(table, "tab:times", "H");
  EXPECT_THAT(latex, HasSubstr("\\caption{Times (continued)}"));
  std::size_t names = 0;
  for (std::size_t at = 0; (at = latex.find("\nsmall & ", at)) != latex.npos; ++at) ++names;
  EXPECT_GE(names, 2u);
  EXPECT_EQ(latex.find("\\label"), latex.rfind("\\label"));
}

TEST(LatexTable, WhatIsLongerThanAPageGoesOnOverPages) {
  TableView table = small_table();
  table.rows.resize(100, table.rows[0]);
  EXPECT_THAT(table_latex(table, "t", "H"), HasSubstr("\\begin{longtable}"));
}

}  // namespace
}  // namespace labreport
