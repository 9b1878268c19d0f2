// Tests that a print keeps some of a part and leaves the rest to the page.
#include "writers/paper_choice.h"

#include <gmock/gmock.h>

#include "writers/sample_fixture.h"

namespace labreport::paper_choice_test {
namespace {

TableView make_table(const std::string& slug, std::size_t rows) {
  TableView table{.slug = slug, .title = slug, .columns = {{slug, "", Align::kLeft}}, .rows = {}};
  for (std::size_t i = 0; i < rows; ++i) table.rows.push_back({{"a"}});
  return table;
}

TEST(PaperChoice, KeepsTheMainTableInThePart) {
  Part part;
  part.tables = {make_table("long", 100), make_table("main", 10), make_table("further", 10),
                 make_table("short", 2), make_table("endless", 500)};
  const PaperPart paper = printed_part(part);
  EXPECT_THAT(paper.tables, testing::ElementsAre(&part.tables[1], &part.tables[3]));
  EXPECT_THAT(paper.appendix_tables, testing::ElementsAre(&part.tables[0], &part.tables[2]));
  EXPECT_THAT(paper.page_only_titles, testing::ElementsAre("endless (500 rows)"));
}

TEST(PaperChoice, KeepsTwoVariantsOfFiguresAndTheLastTable) {
  Part part;
  for (const char* slug : {"1", "1-detail", "2", "2-detail", "3"}) {
    Figure& figure = part.figures.emplace_back();
    figure.title = slug;
    figure.family = "F";
    figure.variant = slug[0];
  }
  part.tables = {make_table("same", 2), make_table("same", 3)};
  const PaperPart paper = printed_part(part);
  EXPECT_THAT(paper.figures,
              testing::ElementsAre(&part.figures[0], &part.figures[1], &part.figures[2]));
  EXPECT_THAT(paper.tables, testing::ElementsAre(&part.tables[1]));
  EXPECT_THAT(paper.page_only_titles, testing::ElementsAre("2-detail", "3", "same (2 rows)"));
}

TEST(PaperChoice, KeepsMarkedTablesOfAnyLength) {
  Part part;
  part.tables = {make_table("main", 10), make_table("endless", 500), make_table("endless", 500)};
  part.tables[1].always_on_paper = true;
  part.details.tables = {make_table("detail", 500), make_table("marked", 500)};
  part.details.tables[1].always_on_paper = true;
  const PaperPart paper = printed_part(part);
  EXPECT_THAT(paper.appendix_tables,
              testing::ElementsAre(&part.tables[1], &part.details.tables[1]));
  EXPECT_THAT(paper.page_only_titles, testing::ElementsAre("endless (500 rows)"));
}

TEST(PaperChoice, MakesAMarkedTableOfTheDetailsTheMainOneIfThereIsNoOther) {
  Part part;
  part.details.tables = {make_table("detail", 2), make_table("first", 2), make_table("second", 2)};
  for (const std::size_t marked : {1, 2}) part.details.tables[marked].always_on_paper = true;
  const PaperPart paper = printed_part(part);
  EXPECT_THAT(paper.tables, testing::ElementsAre(&part.details.tables[1]));
  EXPECT_THAT(paper.appendix_tables, testing::ElementsAre(&part.details.tables[2]));
  EXPECT_THAT(printed_tables(part.details), testing::ElementsAre(&part.details.tables[0]));
}

TEST(PaperChoice, OmitsFiguresOfThePageOnly) {
  Part part;
  part.figures.resize(2);
  part.figures[1].title = "to play with";
  part.figures[1].page_only = true;
  const PaperPart paper = printed_part(part);
  EXPECT_THAT(paper.figures, testing::ElementsAre(&part.figures[0]));
  EXPECT_THAT(paper.page_only_titles, testing::ElementsAre("to play with"));
}

TEST(PaperChoice, PutsHalvesOfATableSideBySide) {
  const TableView halves = in_two_halves(make_table("t", 3));
  ASSERT_EQ(halves.rows.size(), 2u);
  EXPECT_EQ(halves.columns.size(), 2u);
  EXPECT_EQ(halves.text(halves.rows[0], 1), "a");
  EXPECT_EQ(halves.text(halves.rows[1], 1), "");
}

}  // namespace
}  // namespace labreport::paper_choice_test
