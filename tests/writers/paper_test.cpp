#include "writers/markdown/paper.h"

#include <gmock/gmock.h>

#include "writers/sample_fixture.h"

namespace labreport::paper_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Part part_with(TableView table) {
  Part part;
  part.tables = {std::move(table)};
  return part;
}

TEST(Paper, AlignsDecimalsWithFigureSpaces) {
  TableView table{.slug = "times", .title = "Times", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft},
                   {"forward", "ms"},
                   {"backward", "ms", Align::kRight, false, {Notation::kNoTrailingZeros}}};
  table.rows = {{{"small", {9.5, 1.2}, 1.25}}, {{"xl", {10.25, 0.11}, 12}}};
  EXPECT_THAT(part_paper(part_with(table), {}, {}, {}),
              HasSubstr("| small | 9.5\u2007&#32;±\u00a0"
                        "1.2\u2007 | 1.25 |\n"
                        "| xl | 10.25&#32;±\u00a0"
                        "0.11 | 12\u2008\u2007\u2007 |\n"));
}

TEST(Paper, MarksTheCellsThatAReasonExtendsAcross) {
  TableView table{.slug = "times", .title = "", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, {"forward", "ms"}, {"backward", "ms"}};
  table.rows = {{{"xl"}, {}, "out of memory"}, {{"2.7B"}, {"shared GPU"}, "not tried"}};
  EXPECT_THAT(part_paper(part_with(table), {}, {}, {}),
              HasSubstr("| xl | out of memory | \uFDD0 | \uFDD0 |\n"
                        "| 2.7B | not tried | \uFDD0 | shared GPU |\n"));
}

TEST(Paper, NamesTheFormulasThatLatexMayRead) {
  Part part;
  part.answer = "Both take $2 P$.";  // Sections have this formula.
  part.note = AuthorNote{"Not $\\input{x}$ but $y_1$.", false, {{"$y_1$", {}}}};
  const std::string text = part_paper(part, {}, {}, {});
  EXPECT_TRUE(text.starts_with("---\n{\"formulas\":[\"$2 P$\",\"$y_1$\"]}\n---\n")) << text;
}

TEST(Paper, KeepsNumbersWithTheirUnits) {
  Part part;
  part.answer = "It takes 3.2 ± 0.1 ms.";
  EXPECT_THAT(part_paper(part, {}, {}, {}), HasSubstr("3.2\u00a0±\u00a0"
                                                      "0.1\u00a0ms."));
}

TEST(Paper, LeavesOutLongTablesOfDetailsByName) {
  Document document = sample_document();
  TableView& table = document.sections.front().parts.front().details.tables.front();
  table.title = "Long";
  table.columns = {{"size", "", Align::kLeft}};
  table.rows.resize(17, {{"xl"}});
  const std::string text = report_paper(document, {}, {});
  EXPECT_THAT(text, HasSubstr("Left to the page and to tables/: Long."));
  EXPECT_THAT(text, Not(HasSubstr("**Long**")));
}

}  // namespace
}  // namespace labreport::paper_test
