// Tests the pages over several runs: the runs that the index shows and their order, words and
// numbers.
#include "document/index/index_document.h"

#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "analysis/measures.h"
#include "base/lists.h"
#include "base/text.h"
#include "results/cell.h"

namespace labreport::index_document_test {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

RunSummary summary_of(const std::string& device, const std::string& time) {
  const RunDescription description{.device = device,
                                   .edition = "2025",
                                   .preset = "full",
                                   .started_at = time,
                                   .revision = "a1b2c3d",
                                   .outcome = "All 40 measurements succeeded"};
  return {description,
          device + "/2025/" + time,
          "Profiling",
          {"2.7B", "BF16", 1200, 300, 0.21, "MFU", 64.0 * (1u << 30)}};
}

RunSummary as_reference(RunSummary summary) {
  summary.reference = true;
  return summary;
}

RunSummary demonstration(const std::string& time) {
  RunSummary summary = summary_of("Some CPU", time);
  summary.demonstration = true;
  return summary;
}

Part part_at(const std::vector<RunSummary>& runs, const std::string& folder,
             std::size_t section = 0) {
  for (const OverviewPage& page : overview_pages(runs)) {
    if (page.folder == folder) return page.document.sections.at(section).parts.front();
  }
  ADD_FAILURE() << "there is no page " << folder;
  return {};
}

/// Returns the words of the part's answer without its numbers' keys.
std::string words_of(const Part& part) {
  return std::regex_replace(part.answer, std::regex(R"(\[([^\]]*)\]\(#number=[^)]*\))"), "$1");
}

Part index_part(const std::vector<RunSummary>& runs) { return part_at(runs, ""); }

std::vector<std::string> texts(const TableView& table, std::size_t row) {
  std::vector<std::string> texts;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    texts.push_back(table.text(table.rows.at(row), c));
  }
  return texts;
}

/// Returns device and date of each run in the index's table.
std::vector<std::string> listed_runs(const std::vector<RunSummary>& runs) {
  const Part part = index_part(runs);
  std::vector<std::string> listed;
  const TableView& table = part.tables.back();
  for (const RowView& row : table.rows) {
    listed.push_back(table.text(row, 0) + " " + table.text(row, 3));
  }
  return listed;
}

std::vector<std::string> figure_slugs(const std::vector<RunSummary>& runs) {
  const Part part = index_part(runs);
  std::vector<std::string> slugs;
  for (const Figure& figure : part.figures) slugs.push_back(figure.slug);
  return slugs;
}

TEST(IndexOrder, ListsReferenceRunsAfterNewestOwnRuns) {
  EXPECT_THAT(listed_runs({as_reference(summary_of("A", "2026-04-01")),
                           summary_of("A", "2026-01-01"), summary_of("B", "2026-03-01")}),
              ElementsAre("B 2026-03-01", "A 2026-01-01", "A 2026-04-01"));
}

TEST(IndexOrder, ListsFullReferenceRunsBeforeQuickOnes) {
  RunSummary quick = as_reference(summary_of("A", "2026-03-01"));
  quick.preset = "quick";
  EXPECT_THAT(listed_runs({quick, as_reference(summary_of("A", "2026-01-01"))}),
              ElementsAre("A 2026-01-01", "A 2026-03-01"));
}

TEST(IndexOrder, ListsDemonstrationsLast) {
  EXPECT_THAT(
      listed_runs({demonstration("2026-09-01"), as_reference(summary_of("A", "2026-01-01"))}),
      ElementsAre("A 2026-01-01", "Some CPU 2026-09-01"));
}

TEST(IndexOrder, IgnoresTheOrderOfTheInput) {
  const std::vector<RunSummary> runs = {summary_of("A", "2026-01-01"),
                                        summary_of("B", "2026-01-01")};
  EXPECT_EQ(listed_runs(runs), listed_runs({runs[1], runs[0]}));
}

TEST(IndexTable, LinksEachRunToItsReport) {
  const TableView table = index_part({summary_of("A", "2026-01-01T10:15:00Z")}).tables.back();
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].cells[3].link, "A/2025/2026-01-01T10:15:00Z/index.html");
  EXPECT_THAT(texts(table, 0),
              ElementsAre("A", "Profiling", "2025", "2026-01-01 10:15", "2.7B", "1,200", "300.0",
                          "64.00", "All 40 measurements succeeded"));
}

TEST(IndexTable, ShowsDashesForMissingNumbers) {
  RunSummary without_step = summary_of("A", "2026-01-01");
  without_step.headline = {};
  const TableView table = index_part({without_step, summary_of("B", "2026-01-01")}).tables.back();
  EXPECT_THAT(texts(table, 0), ElementsAre("A", "Profiling", "2025", "2026-01-01", "", "–", "–",
                                           "–", "All 40 measurements succeeded"));
}

TEST(IndexTable, FlagsReferenceAndIncompleteRuns) {
  RunSummary marked = as_reference(summary_of("A", "2026-01-01"));
  marked.preset = "quick";
  marked.incomplete = true;
  EXPECT_THAT(index_part({summary_of("B", "2026-01-01"), marked}).tables.back().rows[1].flags,
              ElementsAre("reference run", "interrupted", "quick preset"));
  EXPECT_THAT(index_part({marked}).tables.back().rows[0].flags,
              ElementsAre("interrupted", "quick preset"))
      << "all come with the project";
  EXPECT_THAT(index_part({demonstration("2026-01-01")}).tables.back().rows[0].flags,
              ElementsAre("CPU demonstration"));
}

TEST(IndexReports, HaveEachReportOneClickAway) {
  RunSummary quick = summary_of("A", "2026-02-01");
  quick.preset = "quick";
  RunSummary ladder = summary_of("A", "2026-03-01"), later = summary_of("B", "2026-04-01");
  ladder.title = "Ladder";
  later.edition = "2026";
  const std::vector<RunSummary> runs{summary_of("A", "2026-01-01"), quick, ladder, later,
                                     demonstration("2026-05-01")};
  const std::vector<TableView> tables = index_part(runs).tables;
  const TableView& reports = tables.at(tables.size() - 2);
  std::multiset<std::string> links;
  for (const RowView& row : reports.rows) {
    for (const Value& cell : row.cells) {
      if (!cell.link.empty()) links.insert(cell.link);
    }
  }
  std::multiset<std::string> addresses;
  for (const RunSummary& run : runs) addresses.insert(run.address(""));
  EXPECT_EQ(links, addresses);
  EXPECT_EQ(reports.rows.size(), 4u) << "Profiling twice in 2025, once in 2026, and the ladder";
  EXPECT_THAT(texts(reports, 2), ElementsAre("Profiling, 2026", "2026-04-01", "–", "–"));
}

TEST(IndexFigures, ShowTheNewestRunOfEachDeviceAndEdition) {
  const Part part = index_part({summary_of("A", "2026-01-01"), summary_of("A", "2026-02-01"),
                                summary_of("B", "2026-01-01")});
  ASSERT_EQ(part.figures.size(), 1u);
  ASSERT_EQ(part.figures[0].table.rows.size(), 4u) << "FP32 and BF16 of each";
  EXPECT_EQ(texts(part.figures[0].table, 0)[0], "A, 2.7B (2025)");
}

TEST(GpuPage, ShowsTheHistoryOfThreeRuns) {
  const auto figures_at = [](const std::vector<RunSummary>& runs) {
    std::vector<std::string> slugs;
    for (const Figure& figure : part_at(runs, "A", 1).figures) slugs.push_back(figure.slug);
    return slugs;
  };
  std::vector<RunSummary> runs{summary_of("A", "2026-01-01"), summary_of("A", "2026-02-01")};
  EXPECT_THAT(figures_at(runs), ElementsAre());
  runs.push_back(summary_of("A", "2026-03-01"));
  EXPECT_THAT(figures_at(runs), ElementsAre(HasSubstr("history")));
  runs.back().edition = "2026";
  EXPECT_THAT(figures_at(runs), ElementsAre()) << "another edition is another workload";
}

TEST(IndexFigures, AreAbsentWithoutATimedStep) {
  RunSummary without_step = summary_of("A", "2026-01-01");
  without_step.headline = {};
  EXPECT_THAT(figure_slugs({without_step}), ElementsAre());
}

TEST(Index, HasNoSectionWithoutRuns) {
  const std::vector<OverviewPage> pages = overview_pages({});
  ASSERT_EQ(pages.size(), 1u);
  EXPECT_TRUE(pages.front().document.sections.empty());
}

TEST(RunSummary, SurvivesConversionToJson) {
  RunSummary before = demonstration("2026-05-01T10:15:00Z");
  before.incomplete = before.reference = true;
  before.memory = {.device_bytes = 80LL << 30,
                   .networks = {{"small", {768, 3072, 12, 12, 10'000}}},
                   .confirmed = {{.mode = "train_step", .precision = "bf16", .peaks = 8}}};
  const nlohmann::json kept = before;
  const auto after = nlohmann::json::parse(kept.dump()).get<RunSummary>();
  EXPECT_EQ(nlohmann::json(after), kept);
  EXPECT_EQ(after.headline.mixed_ms, 300);
}

/// Adds a ladder, whose step takes `from` ms before the change and `to` ms after it.
RunSummary with_ladder(RunSummary run, double from, double to) {
  run.quantities = {{.topic = topic::kFastestStep,
                     .network = "2.7B",
                     .parameters = 3.4e9,
                     .precision = "BF16",
                     .setting = "context 512, from einsum",
                     .unit = "ms",
                     .values = {{"einsum", from}, {"SDPA", to}},
                     .part = "ladder"}};
  return run;
}

std::vector<RunSummary> two_ladders(double slow_to) {
  return {with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 100),
          with_ladder(summary_of("NVIDIA H100 80GB HBM3", "2026-05-02"), 400, slow_to)};
}

/// Adds a step of 10 ms in BF16, of which AdamW takes 8.
RunSummary with_step(RunSummary run, bool tuned) {
  run.steps = {{.network = "2.7B",
                .parameters = 3.4e9,
                .precision = "BF16",
                .setting = "context 512, batch 4",
                .tuned = tuned,
                .ms = 10,
                .flop_rate = 1e12,
                .bandwidth = 1e12,
                .blocks = {{"AdamW", 8, 1e9, 2e9}}}};
  return run;
}

TEST(TopicFastestStep, DrawsAProfiledStepAboveThatOfAnotherRunsLadder) {
  const auto figures_of = [](const std::vector<RunSummary>& runs) {
    return part_at(runs, "topic/fastest-step").figures;
  };
  const RunSummary profiled = with_step(summary_of("NVIDIA H200", "2026-05-02"), false);
  const RunSummary ladder =
      with_step(with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 100), true);
  const Figure together = figures_of({profiled, ladder}).back();
  EXPECT_EQ(together.table.rows.size(), 4);
  EXPECT_THAT(together.title,
              HasSubstr("of 2.7B (3.4 B) on the H200 in BF16, its parts need 2.00"));
  const RunSummary others_ladder =
      with_step(with_ladder(summary_of("NVIDIA A100", "2026-05-01"), 300, 100), true);
  EXPECT_EQ(figures_of({profiled, others_ladder}).back().table.rows.size(), 2);
}

TEST(TopicFastestStep, NamesTheRunWhoseStepIsDividedUnlessItIsTheLadders) {
  const auto caption_of = [](const std::vector<RunSummary>& runs) {
    return part_at(runs, "topic/fastest-step").figures.front().caption;
  };
  RunSummary ladder = with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 100);
  Quantity parts = ladder.quantities.front();
  parts.topic = topic::kLadderParts;
  parts.setting += ", einsum";
  parts.values = {{"forward", 300}};
  ladder.quantities.push_back(parts);
  RunSummary profiled = with_step(summary_of("NVIDIA H200", "2026-05-02"), false);
  profiled.folder = "nvidia-h200/2025/profiled";
  EXPECT_THAT(caption_of({profiled, ladder}),
              HasSubstr("as other runs measured it, on the "
                        "[H200](../../nvidia-h200/2025/profiled/index.html)"));
  EXPECT_THAT(caption_of({with_step(ladder, false)}), testing::Not(HasSubstr("other runs")));
}

TEST(Index, TellsWhatChangesToTheStepGain) {
  EXPECT_THAT(words_of(index_part(two_ladders(125))),
              AllOf(HasSubstr("from 400 to **125 ms** on the H100 and from 300 to **100 ms** on "
                              "the H200. A tuned H100 is **2.40×** as fast as an untuned"),
                    HasSubstr("Tuned alike, the H200 is **1.25×** as fast as the H100.")));
  EXPECT_THAT(words_of(index_part(two_ladders(350))), testing::Not(HasSubstr("untuned")));
}

std::string index_title(const std::vector<RunSummary>& runs) {
  return overview_pages(runs).front().document.title;
}

TEST(Index, HasItsFindingAsItsTitle) {
  EXPECT_EQ(index_title(two_ladders(125)), "One change to the code beats a new GPU");
  EXPECT_EQ(index_title(two_ladders(350)),
            "One change to the code makes a training step 3.00× as fast");
  RunSummary run = two_ladders(125).front();
  EXPECT_EQ(index_title({run}), "One change to the code makes a training step 3.00× as fast");
  run.quantities.front().values.emplace_back("CUDA graph", 60);
  EXPECT_EQ(index_title({run}), "Two changes to the code make a training step 5.00× as fast");
  EXPECT_EQ(index_title({summary_of("A", "2026-01-01")}), "A training step, measured");
}

constexpr const char* kLadderFinding =
    "2.7B (3.4 B), BF16, context 512, from einsum, all changes up to SDPA (ms)";

TEST(Index, ShowsEachTopicsFindingOnEachGpu) {
  const Part part = index_part({with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 100),
                                with_ladder(summary_of("NVIDIA H100", "2026-05-02"), 400, 125)});
  EXPECT_THAT(texts(part.tables.front(), 0),
              ElementsAre("Fastest step", kLadderFinding, "125.0", "100.0", "1.25"));
}

TEST(Index, NamesANetworkByTheLatestEditionAndItsParameters) {
  RunSummary later = with_ladder(summary_of("NVIDIA H100", "2026-05-02"), 400, 125);
  later.edition = "2026";
  later.quantities.front().network = "xl";
  const Part part =
      index_part({with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 100), later});
  EXPECT_THAT(words_of(part), HasSubstr("xl (3.4 B), a Transformer of 3.4 billion parameters,"));
  EXPECT_THAT(texts(part.tables.front(), 0)[1], testing::StartsWith("xl (3.4 B), BF16"));
}

TEST(Index, MergesRunsOnOneAndOnSeveralGpus) {
  const Part part = index_part({with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 100),
                                with_ladder(summary_of("2 × NVIDIA H200", "2026-05-03"), 300, 90)});
  EXPECT_THAT(texts(part.tables.front(), 0), ElementsAre("Fastest step", kLadderFinding, "90.00"));
}

/// Adds training steps in both precisions.
RunSummary with_steps(RunSummary run, const char* name, double parameters, double fp32_ms,
                      double bf16_ms) {
  for (const auto& [precision, ms] : {std::pair("FP32", fp32_ms), std::pair("BF16", bf16_ms)}) {
    run.quantities.push_back({.topic = topic::kTrainingStep,
                              .network = name,
                              .parameters = parameters,
                              .precision = precision,
                              .setting = "context 512",
                              .unit = "ms",
                              .values = {{"step", ms}}});
  }
  return run;
}

/// Adds the training step's speedup in BF16.
RunSummary with_speedup(RunSummary run, const char* name, double parameters, double speedup,
                        std::vector<std::string> set_by_cpu = {}) {
  run.quantities.push_back({.topic = topic::kMixedPrecision,
                            .network = name,
                            .parameters = parameters,
                            .precision = "BF16",
                            .setting = "context 512",
                            .unit = "×",
                            .values = {{describe(Measure::kStep), speedup}},
                            .set_by_cpu = std::move(set_by_cpu)});
  return run;
}

/// Adds the copy bandwidth and the kernels of a training step.
RunSummary with_kernels(RunSummary run, double gb_per_s, double gemms_ms, double optimizer_ms) {
  run.quantities.push_back({.topic = topic::kLimits,
                            .setting = "copy bandwidth",
                            .unit = "GB/s",
                            .values = {{"read and write", gb_per_s}}});
  run.quantities.push_back({.topic = topic::kKernels,
                            .network = "xl",
                            .parameters = 3e9,
                            .precision = "BF16",
                            .unit = "ms",
                            .values = {{"forward: GEMMs", gemms_ms / 3},
                                       {"backward: GEMMs", gemms_ms * 2 / 3},
                                       {"optimizer", optimizer_ms}}});
  return run;
}

TEST(Index, TellsWhatBandwidthGainsOnlyIfTheOptimizerShowsIt) {
  const auto answer = [](double optimizer_ms) {
    return words_of(index_part(
        {with_kernels(summary_of("NVIDIA H200", "2026-05-01"), 4200, 60, 100),
         with_kernels(summary_of("NVIDIA H100", "2026-05-02"), 3000, 63, optimizer_ms)}));
  };
  EXPECT_THAT(
      answer(142),
      HasSubstr("xl (3.0 B)'s optimizer takes **100 ms** instead of 142 ms in BF16, because "
                "the H200 copies memory **1.40×** as fast. The step's GEMMs take 60.0 "
                "ms on the H200 and 63.0 ms on the H100."));
  EXPECT_THAT(answer(110), testing::Not(HasSubstr("copies memory")));
}

TEST(Index, MatchesNetworksByParameters) {
  EXPECT_THAT(
      words_of(index_part({with_speedup(summary_of("NVIDIA H200", "2026-05-01"), "2.7B", 3e9, 4),
                           with_speedup(summary_of("NVIDIA H100", "2026-05-02"), "xl", 3e9, 3)})),
      HasSubstr("3.00× as fast on the H100 and 4.00× as fast on the H200."));
}

TEST(Index, DoesNotMatchNetworksByName) {
  EXPECT_THAT(
      words_of(index_part({with_speedup(summary_of("NVIDIA H200", "2026-05-01"), "xl", 2e9, 4),
                           with_speedup(summary_of("NVIDIA H100", "2026-05-02"), "xl", 3e9, 3)})),
      testing::Not(HasSubstr(" and ")));
}

TEST(Index, DoesNotCallASpeedupOfTheCpuAFinding) {
  const Part part =
      index_part({with_speedup(summary_of("NVIDIA H200", "2026-05-01"), "xl", 3e9, 4, {"step"})});
  EXPECT_THAT(words_of(part), testing::Not(HasSubstr("× as fast")));
  EXPECT_THAT(texts(part.tables.front(), 0),
              ElementsAre("Mixed precision", "only numbers that are not known to be the GPU’s"));
}

TEST(Index, TakesNoStepOfTheCpuForALaddersBest) {
  RunSummary run = with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 90);
  Quantity& ladder = run.quantities.front();
  ladder.values.emplace_back("CUDA graph", 100);
  ladder.set_by_cpu = {"SDPA"};
  const Part part = index_part({run});
  EXPECT_THAT(words_of(part), HasSubstr("from 300 to **100 ms** on the H200"));
  EXPECT_THAT(texts(part.tables.front(), 0).back(), "100.0");
  EXPECT_EQ(part.figures.front().table.rows.size(), 2u) << "einsum and CUDA graph";
  ladder.set_by_cpu = {"einsum"};
  EXPECT_EQ(index_title({run}), "A training step, measured");
}

TEST(Index, SaysIfItsTableTakesTheLaddersStepFromAnotherReport) {
  const auto caption_of = [](const std::vector<RunSummary>& runs) {
    return index_part(runs).figures.front().caption;
  };
  const RunSummary ladder = with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 100);
  const auto timed = [](RunSummary run) {
    return with_steps(std::move(run), "2.7B", 3.4e9, 1200, 302);
  };
  const std::string caption = caption_of({ladder, timed(summary_of("NVIDIA H200", "2026-05-02"))});
  EXPECT_THAT(caption, HasSubstr("[H200](NVIDIA H200/2025/2026-05-01/index.html#ladder)"));
  EXPECT_THAT(caption, HasSubstr("other reports'"));
  EXPECT_THAT(caption_of({timed(ladder)}), testing::Not(HasSubstr("other reports'")));
}

TEST(Index, LinksEachStepOfItsLaddersToTheReport) {
  const Part part = index_part({with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 100)});
  EXPECT_EQ(part.figures.front().table.rows[1].cells[2].link,
            "NVIDIA H200/2025/2026-05-01/index.html#ladder");
}

TEST(IndexTable, BeginsAGroupWithTheFirstTopicOfEachPage) {
  RunSummary run = with_steps(summary_of("A", "2026-05-01"), "xl", 2e9, 400, 100);
  Quantity kernels = run.quantities.back();
  kernels.topic = topic::kKernels;
  run.quantities.push_back(kernels);
  kernels.topic = topic::kMemory;
  run.quantities.push_back(kernels);
  EXPECT_THAT(each(index_part({run}).tables.front().rows, &RowView::id),
              ElementsAre("matrix-training-step", "", "matrix-memory"));
}

TEST(IndexTable, ShowsBytesOfAttentionInGibibytes) {
  RunSummary run = summary_of("A", "2026-05-01");
  run.quantities = {{.topic = topic::kAttentionMemory,
                     .precision = "BF16",
                     .setting = "batch 1, eager",
                     .unit = "MiB",
                     .values = {{"8,192 tokens", 256}, {"65,536 tokens", 16'384}}}};
  EXPECT_THAT(texts(index_part({run}).tables.front(), 0),
              ElementsAre("Attention’s memory",
                          "BF16, batch 1, plain operators, 65,536 tokens (GiB)", "16.00"));
}

TEST(TopicPage, ShowsCommonValuesSideBySide) {
  const std::vector<RunSummary> runs{
      with_steps(summary_of("NVIDIA H200", "2026-05-01"), "2.7B", 3e9, 1200, 300),
      with_steps(with_steps(summary_of("NVIDIA H100", "2026-05-02"), "xl", 3e9, 1300, 400), "small",
                 1e8, 70, 50)};
  const Part part = part_at(runs, "topic/training-step");
  EXPECT_THAT(texts(part.tables.front(), 0), ElementsAre("FP32", "1,300", "1,200", "1.08"));
  EXPECT_THAT(part.tables.front().title, EndsWith("in ms: xl (3.0 B), context 512, step"));
  EXPECT_THAT(texts(part.details.tables.front(), 0), ElementsAre("FP32", "70.00"));
  EXPECT_EQ(part.tables.front().rows[0].cells[2].link,
            "../../NVIDIA H200/2025/2026-05-01/index.html");
}

std::vector<std::string> linked_files(const std::vector<RunSummary>& runs) {
  std::vector<std::string> files;
  for (const SiteLink& link : site_links(runs)) files.push_back(link.file);
  return files;
}

TEST(SiteLinks, NameThePagesThatThereAre) {
  EXPECT_THAT(linked_files({}), ElementsAre());
  EXPECT_THAT(linked_files({demonstration("2026-05-01")}), ElementsAre("compare.html"));
  for (const std::vector<RunSummary>& runs :
       {std::vector{summary_of("A", "2026-05-01")}, two_ladders(125)}) {
    std::vector<std::string> written;
    for (const OverviewPage& page : overview_pages(runs)) {
      if (!page.is_index())
        written.push_back((page.folder.empty() ? "" : page.folder + "/") + page.file);
    }
    written.emplace_back("compare.html");
    EXPECT_THAT(linked_files(runs), testing::UnorderedElementsAreArray(written));
  }
}

TEST(SiteLinks, KeepTheirOrderWhenANewRunIsAdded) {
  std::vector<RunSummary> runs{summary_of("NVIDIA H100", "2026-05-01"),
                               summary_of("NVIDIA H200", "2026-05-02")};
  const std::vector<SiteLink> before = site_links(runs);
  runs.push_back(summary_of("NVIDIA H100", "2026-05-03"));
  EXPECT_EQ(site_links(runs), before);
}

TEST(SiteLinks, LeadFromAPartToTheNewestReportOfEachGpu) {
  const auto with_ladder_at = [](const std::string& gpu, const std::string& time) {
    return with_ladder(summary_of(gpu, time), 300, 100);
  };
  const std::string script =
      parts_script({with_ladder_at("A", "2026-05-01"), with_ladder_at("B", "2026-05-02"),
                    with_ladder_at("A", "2026-05-03"), summary_of("B", "2026-05-04")});
  EXPECT_EQ(script,
            "linkOtherGpus({\"ladder\":[[\"B\",\"B/\",\"B/2025/2026-05-02/index.html#ladder\"],"
            "[\"A\",\"A/\",\"A/2025/2026-05-03/index.html#ladder\"]]});\n");
}

TEST(SiteLinks, LeadFromAPartToItsTopicOnAllGpus) {
  RunSummary run = with_ladder(summary_of("A", "2026-05-01"), 300, 100);
  run.quantities.push_back({.topic = topic::kLimits, .part = "summary"});
  EXPECT_THAT(topics_of_parts(run, "../"),
              ElementsAre(testing::Pair("ladder",
                                        "../topic/fastest-step/index.html#section-fastest-step")));
  run.demonstration = true;
  EXPECT_THAT(topics_of_parts(run, "../"), ElementsAre()) << "topics show no demonstration";
}

TEST(SiteLinks, LeadToWhatFits) {
  RunSummary run = summary_of("A", "2026-05-01");
  run.quantities = {{.topic = topic::kMemory, .unit = "GiB", .values = {{"context 512", 12}}}};
  run.memory = {.device_bytes = 80LL << 30,
                .networks = {{"small", {768, 3072, 12, 12, 10'000}}},
                .confirmed = {{.mode = "train_step", .precision = "bf16", .peaks = 8}}};
  EXPECT_THAT(linked_files({run}), testing::Contains("what-fits.html"));
  EXPECT_THAT(part_at({run}, "topic/memory").answer, HasSubstr("](../../what"));
}

TEST(Index, DoesNotCompareLaddersOfDifferentSteps) {
  RunSummary other = with_ladder(summary_of("NVIDIA H100", "2026-05-02"), 400, 125);
  other.quantities.front().setting = "context 512, from matmul";
  const Part part =
      index_part({with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 100), other});
  EXPECT_THAT(part.answer, testing::Not(HasSubstr("tuned")));
}

TEST(Index, LinksTheNewestNumberOfEachGpu) {
  const Part part = index_part({with_ladder(summary_of("NVIDIA H200", "2026-05-01"), 300, 100),
                                with_ladder(summary_of("NVIDIA H200", "2026-05-03"), 300, 99),
                                with_ladder(demonstration("2026-05-04"), 3, 1)});
  const TableView& matrix = part.tables.front();
  ASSERT_EQ(matrix.rows.size(), 1u);
  EXPECT_EQ(texts(matrix, 0).back(), "99.00");
  EXPECT_EQ(matrix.rows.front().cells.back().link, "NVIDIA H200/2025/2026-05-03/index.html#ladder");
}

/// Adds the time of a training step, which the CPU or the GPU sets.
RunSummary with_step(RunSummary run, double ms, bool set_by_cpu) {
  run = with_steps(std::move(run), "medium", 4e8, 200, ms);
  if (set_by_cpu) run.quantities.back().set_by_cpu = {"step"};
  return run;
}

TEST(OneValue, IsTheNewestOneThatTheGpuSets) {
  const RunSummary older = with_step(summary_of("A", "2026-05-01"), 78, false);
  const auto value = [&](const RunSummary& newer) {
    return texts(index_part({older, newer}).tables.front(), 0).back();
  };
  EXPECT_EQ(value(with_step(summary_of("A", "2026-05-02"), 77, false)), "77.00");
  EXPECT_EQ(value(with_step(summary_of("A", "2026-05-02"), 108, true)), "78.00");
}

TEST(OneValue, IsThatOfTheRunsWhichAComparisonOfTwoGpusShows) {
  const auto reference = [](const char* gpu, const char* time, const char* edition, double ms) {
    RunSummary run = as_reference(with_step(summary_of(gpu, time), ms, false));
    run.edition = edition;
    return run;
  };
  std::vector<RunSummary> runs{
      reference("A", "2026-05-01", "2025", 78), reference("A", "2026-05-03", "2026", 79),
      reference("A", "2026-05-04", "2025", 80), reference("B", "2026-05-02", "2025", 99)};
  runs[2].preset = "quick";
  const auto values = [&] { return texts(index_part(runs).tables.front(), 0); };
  EXPECT_THAT(values(), testing::Contains("78.00"));
  runs.push_back(with_step(summary_of("A", "2026-05-02"), 81, false));
  EXPECT_THAT(values(), testing::Contains("81.00")) << "a run of the user's stands for the GPU";
}

TEST(OneValue, HasAKeyOfItsOwnIfTwoGpusNamesMakeOneSlug) {
  std::vector<RunSummary> runs{with_step(summary_of("A 1", "2026-05-01"), 78, false),
                               with_step(summary_of("A-1", "2026-05-02"), 99, false)};
  runs[0].folder = "a-1/2025/one";
  runs[1].folder = "a-1-2/2025/two";
  const TableView steps = index_part(runs).tables.front();
  EXPECT_THAT(steps.rows[0].cells[2].key, EndsWith("/a-1-2"));
  EXPECT_THAT(steps.rows[0].cells[3].key, EndsWith("/a-1"));
}

TEST(OneValue, HasOneKeyOnEveryPage) {
  const std::vector<RunSummary> runs{with_step(summary_of("A", "2026-05-01"), 78, false),
                                     with_step(summary_of("B", "2026-05-02"), 99, false)};
  const Value on_index = index_part(runs).tables.front().rows[0].cells[3];
  const Value on_topic = part_at(runs, "topic/training-step").tables.front().rows[1].cells[2];
  const Value on_gpu = part_at(runs, "A", 1).tables.front().rows[0].cells[2];
  EXPECT_EQ(on_index.key, "training-step/400000000/bf16/context-512/ms/step/a");
  for (const Value& value : {on_topic, on_gpu}) {
    EXPECT_EQ(value.key, on_index.key);
    EXPECT_EQ(*value.number(), *on_index.number());
  }
}

TEST(TopicPage, SeparatesNumbersOfTheCpu) {
  RunSummary of_cpu = with_step(summary_of("A", "2026-05-01"), 78, true);
  of_cpu.quantities.back().values.emplace_back("optimizer", 20);
  RunSummary other = with_step(summary_of("B", "2026-05-02"), 99, false);
  other.quantities.back().values.emplace_back("optimizer", 21);
  const Part part = part_at({of_cpu, other}, "topic/training-step");
  EXPECT_THAT(part.tables.front().title, HasSubstr("FP32"));
  ASSERT_EQ(part.details.tables.size(), 2u);
  EXPECT_THAT(texts(part.details.tables[0], 0).front(), "optimizer");
  EXPECT_THAT(part.details.tables[1].title, HasSubstr("Not known to be set by the GPU alone"));
  EXPECT_EQ(part.details.tables[1].rows.size(), 1u);
  EXPECT_THAT(each(part.details.tables[0].columns, &ColumnView::title),
              testing::Contains(HasSubstr("Advantage")));
  EXPECT_THAT(each(part.details.tables[1].columns, &ColumnView::title),
              testing::Not(testing::Contains(HasSubstr("Advantage"))));
  EXPECT_THAT(words_of(part), testing::Not(HasSubstr("BF16")));
}

TEST(GpuPage, ComparesItsLimitsAndItsStepWithOtherGpus) {
  const auto run = [](const char* device, double gb_per_s, double ms, double memory_gib) {
    RunSummary made = with_steps(with_kernels(summary_of(device, "2026-05-01"), gb_per_s, 60, 100),
                                 "xl", 3e9, 1200, ms);
    made.memory.device_bytes = static_cast<std::int64_t>(memory_gib * (1 << 30));
    return made;
  };
  std::vector<RunSummary> runs{run("NVIDIA H200", 4200, 300, 140),
                               run("NVIDIA H100", 3000, 360, 80)};
  for (const char* page : {"NVIDIA H100", "NVIDIA H200"}) {
    EXPECT_EQ(words_of(part_at(runs, page)),
              "Against the H100, the H200 has 1.75× the memory and 1.40× its bandwidth: xl "
              "(3.0 B)’s training step is 1.00× as fast in FP32 and 1.20× as fast in BF16.");
  }
  EXPECT_THAT(texts(part_at(runs, "NVIDIA H100").tables[0], 0),
              ElementsAre("memory (GiB)", "80.00", "140.0", "1.75"));
  runs.front().quantities.back().set_by_cpu = runs.front().quantities[2].set_by_cpu = {"step"};
  EXPECT_EQ(words_of(part_at(runs, "NVIDIA H100")), "") << "no step of the GPUs";
  runs.pop_back();
  EXPECT_EQ(words_of(part_at(runs, "NVIDIA H200")), "") << "no other GPU";
}

TEST(GpuPage, IsASpecCardOfWhatItsRunsRecorded) {
  RunSummary run = summary_of("NVIDIA H200", "2026-05-02"),
             older = summary_of("NVIDIA H200", "2026-05-01");
  run.quantities = {{.topic = topic::kLimits,
                     .setting = "copy bandwidth",
                     .unit = "GB/s",
                     .values = {{"read and write", 4200}}}};
  run.quantities.push_back(run.quantities.front());
  run.quantities[1].topic = topic::kDataSheet;
  run.quantities[1].values = {{"read and write", 4800}};
  run.machine = {{"Driver", "580.95"}, {"CUDA", "13.0"}};
  older.machine = {{"Driver", "570.10"}, {"CUDA", "13.0"}};
  const Part card = part_at({older, run}, "NVIDIA H200");
  EXPECT_THAT(texts(card.tables[0], 0),
              ElementsAre("copy bandwidth, read and write (GB/s)", "4,200", "4,800", "87.5"));
  EXPECT_EQ(card.tables[0].rows[0].cells[2].link, "") << "no report shows it";
  ASSERT_EQ(card.figures.size(), 1u);
  EXPECT_EQ(card.figures.front().spec.at("data").at("values").at(0).at("words"),
            "4,200 of 4,800 GB/s");
  EXPECT_EQ(words_of(card),
            "A copy reads and writes **4,200 GB/s**, 87.5 % of the data sheet's "
            "4,800.");
  const TableView& machine = card.details.tables.at(0);
  ASSERT_EQ(machine.rows.size(), 2u);
  EXPECT_THAT(texts(machine, 0), ElementsAre("Driver", "580.95; 570.10"));
  EXPECT_THAT(texts(machine, 1), ElementsAre("CUDA", "13.0"));
}

TEST(GpuPage, LeadsWithSustainedRatesBesideTheDataSheet) {
  RunSummary run = summary_of("NVIDIA H200", "2026-05-02");
  run.quantities = {{.topic = topic::kLimits,
                     .setting = topic::kFastestGemm,
                     .unit = "TFLOP/s",
                     .values = {{"FP32", 50}, {"BF16", 800}}}};
  run.quantities.push_back(run.quantities.front());
  run.quantities[1].setting = "sustained GEMM rate";
  run.quantities[1].values = {{"FP32", 40}, {"BF16", 600}};
  for (std::size_t i = 0; i < 2; ++i) {
    run.quantities.push_back(run.quantities[i]);
    run.quantities.back().topic = topic::kDataSheet;
    run.quantities.back().values = {{"FP32", 100}, {"BF16", 1000}};
  }
  RunSummary other_run = summary_of("NVIDIA H200", "2026-05-01");
  other_run.quantities = {run.quantities.front()};
  other_run.quantities.front().values = {{"BF16", 850}};
  const Part card = part_at({run, other_run}, "NVIDIA H200");
  EXPECT_EQ(words_of(card),
            "Large GEMMs in BF16 sustain **600 TFLOP/s** for a second, 60.0 % of the data sheet's "
            "1,000. The fastest GEMM of the same run reaches 800 TFLOP/s; over a second, 25.0 % of "
            "it is lost.");
  const Figure& figure = card.figures.front();
  EXPECT_EQ(figure.title, "GEMMs in BF16 sustain 60.0 % of the data sheet's rate, in FP32 40.0 %");
  const nlohmann::json& rows = figure.spec.at("data").at("values");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].at("share"), 0.6);
  EXPECT_EQ(rows[1].at("fastest_share"), 0.85) << "of any run";
}

TEST(GpuPage, DrawsTheFastestGemmOfAnyRunAndTheNewestSustainedRate) {
  RunSummary newer = summary_of("NVIDIA H200", "2026-05-02");
  newer.quantities = {{.topic = topic::kLimits,
                       .setting = topic::kFastestGemm,
                       .unit = "TFLOP/s",
                       .values = {{"BF16", 800}, {"FP16", 700}}}};
  newer.quantities.push_back(newer.quantities.front());
  newer.quantities.back().setting = "sustained GEMM rate";
  RunSummary older = newer;
  older.started_at = "2026-05-01";
  for (Quantity& quantity : older.quantities) quantity.values = {{"BF16", 850}, {"FP16", 650}};
  const Part card = part_at({older, newer}, "NVIDIA H200");
  EXPECT_THAT(texts(card.tables[0], 0), ElementsAre("fastest GEMM, BF16 (TFLOP/s)", "850.0"));
  EXPECT_THAT(texts(card.tables[0], 1), ElementsAre("fastest GEMM, FP16 (TFLOP/s)", "700.0"));
  EXPECT_THAT(texts(card.tables[0], 2),
              ElementsAre("sustained GEMM rate, BF16 (TFLOP/s)", "800.0"));
}

TEST(OverviewPages, SayWhatAnEditionCallsANetworkThatALaterOneRenames) {
  RunSummary older = summary_of("A", "2026-05-01"), newer = summary_of("A", "2026-05-02");
  older.quantities = {{.topic = topic::kTrainingStep,
                       .network = "2.7B",
                       .parameters = 3.4e9,
                       .unit = "ms",
                       .values = {{"step", 300}}}};
  newer.quantities = older.quantities;
  for (const OverviewPage& page : overview_pages({older, newer}))
    EXPECT_EQ(page.document.provenance, "") << page.folder;
  newer.edition = "2026";
  newer.quantities.front().network = "xl";
  for (const OverviewPage& page : overview_pages({older, newer})) {
    EXPECT_EQ(page.document.provenance, "Reports of the 2025 edition call xl (3.4 B) 2.7B.")
        << page.folder;
  }
  older.quantities.push_back(older.quantities.front());
  older.quantities.back().network = "xl";
  older.quantities.back().parameters = 2e9;
  for (const OverviewPage& page : overview_pages({older, newer})) {
    EXPECT_EQ(page.document.provenance,
              "Reports of the 2025 edition call xl (2.0 B) xl and xl (3.4 B) 2.7B. Reports of the "
              "2026 edition call xl (3.4 B) xl.")
        << page.folder;
  }
  newer.quantities.push_back({.topic = topic::kAttention,
                              .setting = "eager",
                              .unit = "ms",
                              .values = {{"1,024 tokens", 1}}});
  for (const OverviewPage& page : overview_pages({older, newer}))
    EXPECT_EQ(page.document.provenance.empty(), page.folder == "topic/attention") << page.folder;
}

/// Returns the conclusion of a topic of which two GPUs have the same quantities.
std::string conclusion(const std::vector<Quantity>& quantities) {
  std::vector<RunSummary> runs{summary_of("A", "2026-05-01"), summary_of("B", "2026-05-02")};
  for (RunSummary& run : runs) run.quantities = quantities;
  return words_of(part_at(runs, "topic/" + slug(quantities.front().topic)));
}

TEST(TopicPage, ConcludesWithTheFastestAttentionAtTheLongestLength) {
  const auto times = [](const char* precision, const char* backend,
                        std::vector<std::pair<std::string, double>> ms) {
    return Quantity{.topic = topic::kAttention,
                    .precision = precision,
                    .setting = backend,
                    .unit = "ms",
                    .values = std::move(ms)};
  };
  EXPECT_EQ(conclusion({times("BF16", "math", {{"1", 1}, {"2", 200}}),
                        times("BF16", "cuDNN", {{"1", 2}, {"2", 5}}),
                        times("FP32", "flash", {{"2", 4}})}),
            "Over 2, the fastest attention takes **5.00 ms** on each GPU (BF16, cuDNN). In BF16, "
            "math is fastest at 1 and cuDNN from 2 on.");
}

/// Returns the attention page's part of two GPUs' times: FP32's of SDPA math and SDPA efficient.
Part attention_page(double math_ms_at_4096, std::vector<std::string> set_by_cpu = {}) {
  std::vector<RunSummary> runs{summary_of("A", "2026-05-01"), summary_of("B", "2026-05-02")};
  for (RunSummary& run : runs) {
    Quantity times{.topic = topic::kAttention, .precision = "FP32", .unit = "ms"};
    times.setting = "batch 1, SDPA math";
    times.values = {{"2,048 tokens", 5}, {"4,096 tokens", math_ms_at_4096}, {"8,192 tokens", 40}};
    times.set_by_cpu = set_by_cpu;
    run.quantities.push_back(times);
    times.setting = "batch 1, SDPA efficient";
    times.values = {{"2,048 tokens", 4}, {"4,096 tokens", 8}, {"8,192 tokens", 16}};
    times.set_by_cpu.clear();
    run.quantities.push_back(times);
  }
  Quantity plain{.topic = topic::kAttention,
                 .precision = "BF16",
                 .setting = "batch 1, eager",
                 .unit = "ms",
                 .values = {{"8,192 tokens", 90}}};
  runs[0].quantities.push_back(plain);
  plain.values = {{"4,096 tokens", 20}};
  plain.remark = "out of memory at 8,192 tokens";
  runs[1].quantities.push_back(plain);
  return part_at(runs, "topic/attention");
}

TEST(TopicPage, SaysAtWhichLengthsAnImplementationIsFastest) {
  EXPECT_THAT(words_of(attention_page(7)),
              HasSubstr("In FP32, SDPA efficient is fastest at 2,048 tokens, SDPA math at 4,096 "
                        "tokens and SDPA efficient from 8,192 tokens on."));
  EXPECT_THAT(words_of(attention_page(7.9)),
              HasSubstr("In FP32, SDPA efficient is fastest from 2,048 tokens on."))
      << "at 4,096 tokens launches differ by more";
  EXPECT_THAT(words_of(attention_page(7, {"2,048 tokens", "4,096 tokens"})),
              HasSubstr("In FP32, SDPA math is fastest at 4,096 tokens and SDPA efficient from "
                        "8,192 tokens on."))
      << "the slower math may have faster kernels at 2,048 tokens";
}

TEST(TopicPage, ShowsWhereAttentionRanOutOfMemoryBesideTheOtherGpu) {
  const Part part = attention_page(7);
  EXPECT_EQ(part.tables.front().title, "Each GPU's numbers, in ms: batch 1, 8,192 tokens");
  EXPECT_THAT(texts(part.tables.front(), 2), ElementsAre("BF16", "eager", "–", "90.00"));
  EXPECT_THAT(part.tables.front().rows[2].flags, ElementsAre("B: out of memory"));
}

TEST(TopicPage, SaysThatFusedAttentionRemovesAnAdvantageIfItDoes) {
  const auto words = [](double fused_ms) {
    std::vector<RunSummary> runs{summary_of("A", "2026-05-01"), summary_of("B", "2026-05-02")};
    Quantity times{.topic = topic::kAttention, .precision = "BF16", .unit = "ms"};
    for (std::size_t gpu = 0; gpu < runs.size(); ++gpu) {
      const bool is_fast = gpu == 0;
      times.setting = "batch 1, eager";
      times.values = {{"1,024 tokens", is_fast ? 10 : 30}, {"2,048 tokens", is_fast ? 100 : 120}};
      runs[gpu].quantities.push_back(times);
      times.setting = "batch 1, SDPA flash";
      times.values = {{"2,048 tokens", is_fast ? 5 : 7}};
      runs[gpu].quantities.push_back(times);
      times.setting = "batch 1, SDPA cuDNN";
      times.values = {{"2,048 tokens", is_fast ? 4 : fused_ms}, {"4,096 tokens", 16}};
      runs[gpu].quantities.push_back(times);
    }
    return words_of(part_at(runs, "topic/attention"));
  };
  EXPECT_THAT(
      words(4.04),
      HasSubstr("Over 2,048 tokens, the A is **1.20×** as fast as the B in plain operators, "
                "but with SDPA cuDNN it has no advantage: 1.01×."));
  EXPECT_THAT(words(4.4), testing::Not(HasSubstr("no advantage")));
}

TEST(TopicPage, ConcludesWithTheBestSchemeThatCommunicates) {
  const std::string none(describe(Scheme::kNone));
  EXPECT_EQ(
      conclusion(
          {{.topic = topic::kSeveralGpus,
            .network = "xl",
            .precision = "FP32",
            .setting = "2 ranks",
            .unit = "ms",
            .values = {{none, 4}, {"per parameter", 8}, {"overlapped", 5}, {"buckets", 4.99}}}}),
      "xl’s data-parallel training step falls from 8.00 to **5.00 ms** on the B and from 8.00 to "
      "**5.00 ms** on the A with the scheme *overlapped* instead of *per parameter* (FP32, 2 "
      "ranks). Of the other ways "
      "to average gradients, none is faster by more than two per cent.");
}

TEST(TopicPage, SaysWhatOverlapSavesOfTheTimeThatAllReducesAdd) {
  Quantity steps{
      .topic = topic::kSeveralGpus,
      .network = "xl",
      .precision = "FP32",
      .setting = "2 ranks",
      .unit = "ms",
      .values = {{"no communication", 100}, {"per parameter", 150}, {"overlapped", 110}}};
  Quantity added = steps;
  added.topic = topic::kAddedTimes;
  added.values = {{"per parameter", 50}, {"overlapped", 10}};
  EXPECT_THAT(conclusion({steps, added}),
              HasSubstr("What all-reduces add to the step is **80 %** less on each GPU if they "
                        "overlap with backward."));
  steps.values.back().second = 151;
  EXPECT_EQ(conclusion({steps, added}), "") << "the step does not fall";
}

TEST(TopicPage, TakesNumbersOfRunsWhosePagesShowThem) {
  const auto run_of = [](const char* gpu, const char* day, double ms, const char* part) {
    RunSummary run = summary_of(gpu, day);
    run.quantities.push_back({.topic = topic::kAllReduce,
                              .setting = "NCCL, 2 ranks",
                              .unit = "ms",
                              .values = {{"1 GB", ms}},
                              .part = part});
    return run;
  };
  const char* part = "distributed_communication_single_node";
  const Part shown = part_at({run_of("A", "2026-05-01", 5, part), run_of("A", "2026-05-02", 4, ""),
                              run_of("B", "2026-05-01", 6, part)},
                             "topic/several-gpus");
  EXPECT_THAT(words_of(shown),
              testing::AllOf(HasSubstr("5.00 ms"), testing::Not(HasSubstr("4.00 ms"))));
}

TEST(TopicPage, HasOneColumnForNumbersThatAreTheSameOnAllGpus) {
  const auto columns = [](double gib, double other_gib) {
    std::vector<RunSummary> runs{summary_of("A", "2026-05-01"), summary_of("B", "2026-05-02")};
    Quantity peaks{.topic = topic::kMemory, .network = "xl", .unit = "GiB"};
    peaks.values = {{"context 512", gib}};
    runs[0].quantities = {peaks};
    peaks.values = {{"context 512", other_gib}};
    runs[1].quantities = {peaks};
    return each(part_at(runs, "topic/memory").tables.front().columns, &ColumnView::title);
  };
  EXPECT_THAT(columns(65.581, 65.582), ElementsAre("Quantity", "Each GPU"));
  EXPECT_THAT(columns(65.5, 65.6), ElementsAre("Quantity", "B", "A", HasSubstr("Advantage")));
}

TEST(TopicPage, CallsNoSchemeUnbeatenThatAnotherBeatsOnOneGpu) {
  std::vector<RunSummary> runs{summary_of("A", "2026-05-01"), summary_of("B", "2026-05-02")};
  Quantity steps{.topic = topic::kSeveralGpus,
                 .network = "xl",
                 .precision = "FP32",
                 .setting = "2 ranks",
                 .unit = "ms",
                 .values = {{"per parameter", 8}, {"flat", 6}, {"overlapped", 5}}};
  runs[0].quantities = {steps};
  steps.values = {{"per parameter", 8}, {"flat", 6}, {"overlapped", 7}};
  runs[1].quantities = {steps};
  const std::string words = words_of(part_at(runs, "topic/several-gpus"));
  EXPECT_THAT(words, HasSubstr("with the scheme *overlapped*"));
  EXPECT_THAT(words, testing::Not(HasSubstr("none is faster")));
}

TEST(Index, SaysWhichChangesAStepOutsideOfItsLadderHas) {
  Quantity step{.topic = topic::kTrainingStep,
                .network = "xl",
                .parameters = 2e9,
                .precision = "BF16",
                .setting = "context 512",
                .unit = "ms",
                .values = {{"step", 372}}};
  Quantity ladder = step;
  ladder.topic = topic::kFastestStep;
  ladder.values = {{"einsum", 400}, {"matmul", 371}, {"SDPA", 300}};
  RunSummary run = summary_of("A", "2026-05-01");
  run.quantities = {step};
  EXPECT_THAT(texts(part_at({run}, "").tables.front(), 0)[1], testing::Not(HasSubstr("GEMMs")));
  run.quantities = {step, ladder};
  EXPECT_THAT(texts(part_at({run}, "").tables.front(), 0)[1],
              HasSubstr("step, linear layers as plain GEMMs (ms)"));
}

}  // namespace
}  // namespace labreport::index_document_test
