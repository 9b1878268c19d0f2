#include "writers/csv/table_csv.h"

#include <gmock/gmock.h>

#include "writers/sample_fixture.h"

namespace labreport {
namespace {

using testing::ElementsAre;

TEST(TableCsv, HoldsNumbersUnroundedWithTheirUnitInTheHead) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft},
                   {"forward", "ms"},
                   {"variation", "%"},
                   {"peak", "GiB", Align::kRight, false, {Notation::kGibibytes}}};
  table.rows = {
      {{"small", {10.61987, 0.0223}, 0.0021, 1.5 * kBytesPerGibibyte}, {"outlier", "shared GPU"}},
      {{"m", 34.13, {}, {}}},
      {.cells = {"xl"}, .note = "out of memory: asked 2.0 GiB, no"}};
  EXPECT_EQ(table_csv(table),
            "size,forward (ms),forward deviation (ms),variation (%),peak (GiB),note\n"
            "small,10.61987,0.0223,0.21,1.5,outlier; shared GPU\n"
            "m,34.13,,,,\n"
            "xl,,,,,\"out of memory: asked 2.0 GiB, no\"\n");
}

TEST(TableCsv, WordsAreNoNumbersAndNoFormulas) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"a", ""}, {"b", ""}, {"c", ""}, {"=d", ""}};
  table.rows = {{{1234.5, {}, "–", "=1+1"}}};
  EXPECT_EQ(table_csv(table), "a,b,c,'=d,note\n1234.5,,,'=1+1,\n");
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
