// The index: which runs it shows in which order, and what it says of each.
#include "document/index/index_document.h"

#include <gmock/gmock.h>

namespace labreport::index_document_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RunEntry entry(const std::string& device, const std::string& time) {
  return {.folder = device + "/2025/" + time,
          .device = device,
          .edition = "2025",
          .preset = "full",
          .started_at = time,
          .revision = "a1b2c3d",
          .outcome = "All 40 measurements succeeded",
          .headline = {"2.7B", "BF16", 1200, 300, 0.21, 64.0 * (1u << 30)}};
}

RunEntry reference(RunEntry entry) {
  entry.reference = true;
  return entry;
}

RunEntry demonstration(const std::string& time) {
  RunEntry shown = entry("Some CPU", time);
  shown.demonstration = true;
  return shown;
}

Part part_of(const std::vector<RunEntry>& entries) {
  return index_document(entries).sections.front().parts.front();
}

std::vector<std::string> texts(const TableView& table, std::size_t r) {
  std::vector<std::string> found;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    found.push_back(table.text(table.rows.at(r), c));
  }
  return found;
}

std::vector<std::string> order(const std::vector<RunEntry>& entries) {
  const Part part = part_of(entries);
  std::vector<std::string> found;
  const TableView& table = part.tables.back();
  for (const RowView& row : table.rows) {
    found.push_back(table.text(row, 0) + " " + table.text(row, 2));
  }
  return found;
}

std::vector<std::string> figures(const std::vector<RunEntry>& entries) {
  const Part part = part_of(entries);
  std::vector<std::string> slugs;
  for (const Figure& figure : part.figures) slugs.push_back(figure.slug);
  return slugs;
}

TEST(IndexOrder, OnesOwnNewestFirstBeforeThoseThatShipWithTheProject) {
  EXPECT_THAT(order({reference(entry("A", "2026-04-01")), entry("A", "2026-01-01"),
                     entry("B", "2026-03-01")}),
              ElementsAre("B 2026-03-01", "A 2026-01-01", "A 2026-04-01"));
}

TEST(IndexOrder, FullRunsThatShipWithTheProjectBeforeQuickOnes) {
  RunEntry quick = reference(entry("A", "2026-03-01"));
  quick.preset = "quick";
  EXPECT_THAT(order({quick, reference(entry("A", "2026-01-01"))}),
              ElementsAre("A 2026-01-01", "A 2026-03-01"));
}

TEST(IndexOrder, DemonstrationsLast) {
  EXPECT_THAT(order({demonstration("2026-09-01"), reference(entry("A", "2026-01-01"))}),
              ElementsAre("A 2026-01-01", "Some CPU 2026-09-01"));
}

TEST(IndexOrder, DoesNotDependOnTheOrderGiven) {
  const std::vector<RunEntry> one = {entry("A", "2026-01-01"), entry("B", "2026-01-01")};
  EXPECT_EQ(order(one), order({one[1], one[0]}));
}

TEST(IndexTable, HasARowARunThatLeadsToItsReport) {
  const TableView table = part_of({entry("A", "2026-01-01T10:15:00Z")}).tables.front();
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].cells[0].link, "A/2025/2026-01-01T10:15:00Z/index.html");
  EXPECT_THAT(texts(table, 0),
              ElementsAre("A", "2025", "2026-01-01 10:15", "2.7B", "1,200", "300.0", "4.00", "21.0",
                          "64.00", "All 40 measurements succeeded"));
}

TEST(IndexTable, LeavesOpenWhatWasNotMeasured) {
  RunEntry bare = entry("A", "2026-01-01");
  bare.headline = {};
  const TableView table = part_of({bare, entry("B", "2026-01-01")}).tables.front();
  EXPECT_THAT(texts(table, 0), ElementsAre("A", "2025", "2026-01-01", "", "–", "–", "–", "–", "–",
                                           "All 40 measurements succeeded"));
}

TEST(IndexTable, MarksWhatIsNoWholeRunOfOnesOwn) {
  RunEntry marked = reference(entry("A", "2026-01-01"));
  marked.preset = "quick";
  marked.incomplete = true;
  EXPECT_THAT(part_of({entry("B", "2026-01-01"), marked}).tables.front().rows[1].flags,
              ElementsAre("reference run", "interrupted", "quick preset"));
  EXPECT_THAT(part_of({marked}).tables.front().rows[0].flags,
              ElementsAre("interrupted", "quick preset"))
      << "all come with the project";
  EXPECT_THAT(part_of({demonstration("2026-01-01")}).tables.front().rows[0].flags,
              ElementsAre("CPU demonstration"));
}

TEST(IndexFigures, ShowTheNewestRunOfEachDeviceAndEdition) {
  const Part part =
      part_of({entry("A", "2026-01-01"), entry("A", "2026-02-01"), entry("B", "2026-01-01")});
  ASSERT_EQ(part.figures.size(), 1u);
  ASSERT_EQ(part.figures[0].data.rows.size(), 4u) << "FP32 and BF16 of each";
  EXPECT_EQ(texts(part.figures[0].data, 0)[0], "A, 2.7B (2025)");
  EXPECT_EQ(texts(part.figures[0].data, 0)[1], "2026-02-01");
}

TEST(IndexFigures, ShowTheHistoryOfThreeRunsOfADevice) {
  const std::vector<RunEntry> two = {entry("A", "2026-01-01"), entry("A", "2026-02-01")};
  EXPECT_THAT(figures(two), ElementsAre("steps"));
  std::vector<RunEntry> three = two;
  three.push_back(entry("A", "2026-03-01"));
  EXPECT_THAT(figures(three), ElementsAre("steps", HasSubstr("history")));
  three.back().edition = "2026";
  EXPECT_THAT(figures(three), ElementsAre("steps")) << "another edition is another workload";
}

TEST(IndexFigures, AreLeftOutWhereNoStepWasTimed) {
  RunEntry bare = entry("A", "2026-01-01");
  bare.headline = {};
  EXPECT_THAT(figures({bare}), ElementsAre());
}

TEST(Index, WithoutARunHasNoSection) { EXPECT_TRUE(index_document({}).sections.empty()); }

TEST(RunEntry, IsTheSameAfterItWasKept) {
  RunEntry before = demonstration("2026-05-01T10:15:00Z");
  before.incomplete = before.reference = true;
  const nlohmann::json kept = before;
  const auto after = nlohmann::json::parse(kept.dump()).get<RunEntry>();
  EXPECT_EQ(nlohmann::json(after), kept);
  EXPECT_EQ(after.headline.mixed_ms, 300);
}

TEST(Index, NamesTheProblemsOfARunThatTimesNoNetwork) {
  Document document;
  const auto add = [&](const char* problem) {
    Part part;
    part.question = "Which?";
    document.sections.push_back({.problem = problem, .title = "", .parts = {part}});
  };
  add("pytorch_attention");
  add("flash_benchmarking");
  EXPECT_EQ(run_entry(document, "gpu", "").problems, "pytorch_attention and flash_benchmarking");
  add("torch_compile");
  add("ladder");
  EXPECT_EQ(run_entry(document, "gpu", "").problems, "pytorch_attention and 3 more");
  document.headline.network = "2.7B";
  EXPECT_EQ(run_entry(document, "gpu", "").problems, "");
}

RunEntry tuned(RunEntry run, double from, double to) {
  run.tuned = {{"2.7B", "BF16", 3.4e9, {{"einsum", from}, {"SDPA", to}}}};
  run.key_numbers = {{"Fastest step", "to " + run.started_at, "ladder"}};
  return run;
}

TEST(Index, SaysWhetherChangesBeatANewGpu) {
  const auto said = [](double slow_to) {
    return part_of({tuned(entry("NVIDIA H200", "2026-05-01"), 300, 100),
                    tuned(entry("NVIDIA H100 80GB HBM3", "2026-05-02"), 400, slow_to)})
        .answer;
  };
  EXPECT_THAT(said(125),
              AllOf(HasSubstr("**Changes to the step beat a new GPU.**"),
                    HasSubstr("from 300 to **100 ms** on the H200 and from 400 to **125 ms** on "
                              "the H100: a tuned H100 is **2.40 times** as fast as an untuned"),
                    HasSubstr("Tuned alike, the H200 is **1.25 times** as fast as the H100.")));
  EXPECT_THAT(said(350), testing::Not(HasSubstr("beat a new GPU")));
  EXPECT_THAT(said(350), HasSubstr("BF16 makes 2.7B's training step 4.00 times as fast on the"));
}

TEST(Index, NamesEditionsWhereARowMixesThem) {
  RunEntry other = tuned(entry("NVIDIA H100", "2026-05-02"), 400, 125);
  other.edition = "2026";
  const Part part = part_of({tuned(entry("NVIDIA H200", "2026-05-01"), 300, 100), other});
  EXPECT_THAT(texts(part.tables.front(), 0),
              ElementsAre("Fastest step", "to 2026-05-02 (2026)", "to 2026-05-01 (2025)"));
}

TEST(Index, CountsSeveralGpusOfAHostAsTheirKind) {
  const Part part = part_of({tuned(entry("NVIDIA H200", "2026-05-01"), 300, 100),
                             tuned(entry("2 × NVIDIA H200", "2026-05-03"), 300, 100)});
  EXPECT_THAT(texts(part.tables.front(), 0), ElementsAre("Fastest step", "to 2026-05-03"));
}

TEST(Index, ComparesNoTwoNetworksOfOneName) {
  RunEntry other = entry("NVIDIA H100", "2026-05-02");
  other.edition = "2026";
  EXPECT_THAT(part_of({entry("NVIDIA H200", "2026-05-01"), other}).answer,
              testing::Not(HasSubstr(" and ")));
}

TEST(Index, ComparesNoTwoLaddersOfDifferentSteps) {
  RunEntry other = tuned(entry("NVIDIA H100", "2026-05-02"), 400, 125);
  other.tuned.front().rungs.front().change = "matmul";
  const Part part = part_of({tuned(entry("NVIDIA H200", "2026-05-01"), 300, 100), other});
  EXPECT_THAT(part.answer, testing::Not(HasSubstr("tuned")));
}

TEST(Index, HasTheNewestNumberOfEachGpuOnEachTopicWithALinkToItsPart) {
  const Part part = part_of({tuned(entry("NVIDIA H200", "2026-05-01"), 300, 100),
                             tuned(entry("NVIDIA H200", "2026-05-03"), 300, 100),
                             tuned(demonstration("2026-05-04"), 3, 1)});
  const TableView& matrix = part.tables.front();
  ASSERT_EQ(matrix.rows.size(), 1u);
  EXPECT_THAT(texts(matrix, 0), ElementsAre("Fastest step", "to 2026-05-03"));
  EXPECT_EQ(matrix.rows.front().cells.back().link, "NVIDIA H200/2025/2026-05-03/index.html#ladder");
}

}  // namespace
}  // namespace labreport::index_document_test
