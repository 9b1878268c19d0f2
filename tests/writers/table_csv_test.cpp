#include "writers/csv/table_csv.h"

#include <gmock/gmock.h>

#include "writers/sample_fixture.h"
#include "writers/sample_parts.h"

namespace labreport {
namespace {

using testing::ElementsAre;

CellView number(const std::string& text, double value) { return {text, value, false}; }

TEST(TableCsv, HoldsNumbersUnroundedWithTheirUnitInTheHead) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, {"forward", "ms"}, {"variation", "%"}};
  table.rows = {{.cells = {words("small"),
                           {.text = "10.62 ± 0.02", .sort = 10.61987, .deviation = 0.0223},
                           number("0.2", 0.0021)},
                 .flags = {"outlier", "shared GPU"},
                 .note = ""},
                {.cells = {words("xl")}, .flags = {}, .note = "out of memory: asked 2.0 GiB, no"}};
  EXPECT_EQ(table_csv(table),
            "size,forward (ms),forward deviation (ms),variation (%),note\n"
            "small,10.61987,0.0223,0.21,outlier; shared GPU\n"
            "xl,,,,\"out of memory: asked 2.0 GiB, no\"\n");
}

TEST(TableCsv, DigitsForPeopleAreNumbersAndTextIsNoFormula) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"a", ""}, {"b", ""}, {"c", ""}, {"=d", ""}};
  table.rows = {text_row({"1,234.5", "–", "−7", "=1+1"})};
  EXPECT_EQ(table_csv(table), "a,b,c,'=d,note\n1234.5,,-7,'=1+1,\n");
}

std::vector<std::string> names(const Document& document) {
  std::vector<std::string> found;
  for (const NamedTable& table : named_tables(document)) found.push_back(table.name);
  return found;
}

TEST(NamedTables, NameTheirPartAndWhatSetsThemApart) {
  EXPECT_THAT(
      names(sample_document()),
      ElementsAre("benchmarking_script.b", "benchmarking_script.b.figure-durations",
                  "benchmarking_script.b.commands", "benchmarking_script.c.figure-steps-forward",
                  "benchmarking_script.c.figure-steps-train-step", "ran", "environment"));
}

TEST(NamedTables, SeveralTablesOfAPartHaveTheirOwnNamesToo) {
  Document document = sample_document();
  Part& part = document.sections[0].parts[0];
  part.letter = "";
  part.figures.clear();
  part.details = {};
  part.tables.push_back(part.tables[0]);
  document.sections[0].parts.resize(1);
  EXPECT_THAT(names(document),
              ElementsAre("benchmarking_script.durations", "benchmarking_script.durations-2", "ran",
                          "environment"));
}

}  // namespace
}  // namespace labreport
