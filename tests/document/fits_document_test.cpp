// Tests the page "What fits?". Its formulas must give the peaks of plan/memory.h, and its evidence
// must come from the runs.
#include <gmock/gmock.h>

#include "document/index/index_document.h"
#include "plan/memory.h"
#include "plan/sharding.h"

namespace labreport::fits_document_test {
namespace {

using testing::ElementsAre;

constexpr ModelShape kSmall{768, 3072, 12, 12, 10'000};
constexpr ModelShape kLarge{2560, 10240, 32, 32, 10'000};
constexpr std::int64_t kGibibyte = 1LL << 30;
constexpr std::int64_t kWorkspace = 1 << 20;

ConfirmedPeaks confirmed_steps(std::int64_t peaks, std::int64_t context) {
  return {.mode = "train_step",
          .precision = "bf16",
          .peaks = peaks,
          .farthest = -0.01,
          .batch = 4,
          .context = context,
          .workspace = kWorkspace};
}

RunSummary run(const std::string& gpu, std::int64_t gibibytes, const std::string& time,
               std::vector<ConfirmedPeaks> confirmed, const std::string& name = "xl") {
  RunSummary summary;
  summary.folder = gpu + "/2025/" + time;
  summary.device = gpu;
  summary.started_at = time;
  summary.memory = {.device_bytes = gibibytes * kGibibyte,
                    .networks = {{"small", kSmall}, {name, kLarge}},
                    .confirmed = std::move(confirmed)};
  return summary;
}

OverviewPage page_of(const std::vector<RunSummary>& runs) {
  const OverviewPage last = overview_pages(runs).back();
  EXPECT_EQ(last.file, "what-fits.html");
  return last;
}

/// Returns a row's smallest GPU at each context, after its network, step and precision.
std::vector<std::string> smallest_gpus(const OverviewPage& page, std::size_t row) {
  const TableView& table = page.document.sections.front().parts.front().details.tables.front();
  std::vector<std::string> texts;
  for (std::size_t column = 3; column < table.columns.size(); ++column)
    texts.push_back(table.text(table.rows.at(row), column));
  return texts;
}

/// Returns the bytes of the largest possible peak. `shard` replaces the bytes of the optimizer's
/// state, the third part, unless it is negative.
std::int64_t evaluated_peak(const nlohmann::json& peaks, std::int64_t batch, std::int64_t context,
                            std::int64_t shard = -1) {
  std::int64_t largest = 0;
  for (const nlohmann::json& peak : peaks) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < peak["parts"].size(); ++i) {
      const nlohmann::json& coefficients = peak["parts"][i];
      const std::int64_t tokens = batch * context;
      total += i == 2 && shard >= 0 ? shard
                                    : coefficients[0].get<std::int64_t>() +
                                          coefficients[1].get<std::int64_t>() * tokens +
                                          coefficients[2].get<std::int64_t>() * tokens * context +
                                          coefficients[3].get<std::int64_t>() * context * context;
    }
    largest = std::max(largest, total);
  }
  return largest;
}

CellSpec step_of(const ModelShape& shape, std::int64_t batch, std::int64_t context) {
  CellSpec spec;
  spec.model = shape;
  spec.mode = Mode::kTrainStep;
  spec.precision = Precision::kBf16;
  spec.batch = batch;
  spec.context = context;
  return spec;
}

TEST(FitsPage, HasTheFormulasOfEveryNetworkAndBlocksPerCheckpoint) {
  ConfirmedPeaks checkpoints = confirmed_steps(4, 2048);
  checkpoints.blocks = 8;
  const nlohmann::json data =
      page_of({run("A", 80, "1", {confirmed_steps(8, 512), checkpoints})}).script_data;
  ASSERT_EQ(data["networks"].size(), 2u);
  const nlohmann::json& formulas = data["networks"][1]["formulas"]["training step"]["BF16"];
  ASSERT_EQ(formulas.size(), 7u) << "0, 1, 2, 4, … 32";
  for (const auto& [batch, context] :
       {std::pair(4, 512), std::pair(1, 16'384), std::pair(64, 64)}) {
    CellSpec spec = step_of(kLarge, batch, context);
    EXPECT_EQ(evaluated_peak(formulas["0"], batch, context), expected_peak(spec).total());
    for (const std::int64_t blocks : {1, 2, 4, 32}) {
      spec.blocks_per_checkpoint = blocks;
      EXPECT_EQ(evaluated_peak(formulas[std::to_string(blocks)], batch, context),
                expected_peak(spec).total());
    }
  }
}

TEST(FitsPage, HasEachRanksShareOfTheOptimizersState) {
  ConfirmedPeaks sharded = confirmed_steps(1, 512);
  sharded.ranks = 2;
  const nlohmann::json data = page_of({run("A", 80, "1", {sharded})}).script_data;
  CellSpec spec = step_of(kLarge, 2, 512);
  spec.sharding = Sharding::kOptimizer;
  spec.ranks = Ranks{4};
  const std::int64_t share = held_bytes(spec).moments;
  EXPECT_EQ(data["networks"][1]["shards"]["4"], share);
  EXPECT_EQ(
      evaluated_peak(data["networks"][1]["formulas"]["training step"]["BF16"]["0"], 2, 512, share),
      expected_peak(as_single_process(spec)).total() - moment_bytes(kLarge) + share);
}

TEST(FitsPage, NamesTheSmallestGpuAndMarksExtrapolation) {
  const OverviewPage page = page_of({run("NVIDIA A 141", 141, "1", {confirmed_steps(8, 2048)}),
                                     run("B", 80, "2", {confirmed_steps(8, 512)})});
  EXPECT_THAT(smallest_gpus(page, 0),
              ElementsAre("B", "B, extrapolated", "B, extrapolated", "B, extrapolated"));
  EXPECT_THAT(smallest_gpus(page, 1),
              ElementsAre("B", "A", "more than 141.0 GiB", "more than 141.0 GiB, extrapolated"));
}

TEST(FitsPage, ShowsTheLongestContextOnEachGpu) {
  const OverviewPage page = page_of({run("NVIDIA A 141", 141, "1", {confirmed_steps(8, 2048)}),
                                     run("B", 80, "2", {confirmed_steps(8, 512)})});
  const TableView& table = page.document.sections.front().parts.front().tables.front();
  ASSERT_EQ(table.rows.size(), 2u);
  const auto fits = [](const ModelShape& shape, std::int64_t context, double gigabytes) {
    return expected_peak(step_of(shape, 4, context)).total() <= gigabytes * (1 << 30);
  };
  EXPECT_TRUE(fits(kLarge, 512, 80) && !fits(kLarge, 1024, 80));
  EXPECT_EQ(table.text(table.rows[1], 1), "512");
  EXPECT_TRUE(fits(kLarge, 1024, 141) && !fits(kLarge, 2048, 141));
  EXPECT_EQ(table.text(table.rows[1], 2), "1,024");
  EXPECT_THAT(table.text(table.rows[0], 1), testing::StartsWith("(")) << "beyond what B measured";
}

TEST(FitsPage, KnowsThatAPassFitsWhereAStepThatContainsItDoes) {
  ConfirmedPeaks passes = confirmed_steps(8, 512);
  passes.mode = "forward_backward";
  ConfirmedPeaks other_precision = passes;
  other_precision.precision = "fp32";
  const OverviewPage page =
      page_of({run("A", 141, "1", {passes, other_precision, confirmed_steps(8, 2048)}),
               run("B", 80, "2", {confirmed_steps(8, 2048)})});
  // Rows are forward+backward in FP32 and BF16, then the training step.
  for (const std::size_t row : {1, 2})
    EXPECT_THAT(smallest_gpus(page, row), ElementsAre("B", "B", "B", "B, extrapolated"));
  EXPECT_EQ(smallest_gpus(page, 0).front(), "A") << "B trained in BF16 only";
  EXPECT_THAT(smallest_gpus(page, 4), ElementsAre("B", "A", "more than 141.0 GiB, extrapolated",
                                                  "more than 141.0 GiB, extrapolated"))
      << "at 1,024 and longer, no training step of the large network fits B";
}

TEST(FitsPage, NeverNeedsMoreForAPassThanForAStepThatContainsIt) {
  for (const ModelShape& shape : {kSmall, kLarge}) {
    for (const std::int64_t context : {64, 512, 4096, 16'384}) {
      for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
        std::int64_t shorter_bytes = 0;
        for (const Mode mode : {Mode::kInference, Mode::kForwardBackward, Mode::kTrainStep}) {
          CellSpec spec = step_of(shape, 4, context);
          spec.precision = precision;
          spec.mode = mode;
          EXPECT_GE(expected_peak(spec).total(), shorter_bytes) << context;
          shorter_bytes = expected_peak(spec).total();
        }
      }
    }
  }
}

TEST(FitsPage, CombinesRunsAndLinksToTheLargest) {
  ConfirmedPeaks few = confirmed_steps(2, 512);
  few.farthest = 0.03;
  const nlohmann::json gpus = page_of({run("A", 80, "1", {confirmed_steps(8, 1024)}),
                                       run("A", 80, "2", {confirmed_steps(7, 512)}),
                                       run("A", 80, "3", {few}), run("B", 80, "4", {})})
                                  .script_data["gpus"];
  ASSERT_EQ(gpus.size(), 1u) << "B confirms nothing";
  ASSERT_EQ(gpus[0]["evidence"].size(), 1u);
  EXPECT_EQ(gpus[0]["evidence"][0]["run"], "A/2025/1/index.html");
  EXPECT_EQ(gpus[0]["evidence"][0]["peaks"], 17);
  EXPECT_EQ(gpus[0]["evidence"][0]["context"], 1024);
  EXPECT_EQ(gpus[0]["evidence"][0]["farthest"], 0.03);
  EXPECT_EQ(gpus[0]["evidence"][0]["workspace"], kWorkspace);
}

TEST(FitsPage, MergesNetworksOfOneShape) {
  const nlohmann::json networks = page_of({run("A", 80, "1", {confirmed_steps(8, 512)}),
                                           run("B", 80, "2", {confirmed_steps(8, 512)}, "2.7B")})
                                      .script_data["networks"];
  ASSERT_EQ(networks.size(), 2u);
  EXPECT_EQ(networks[1]["label"], "xl (3.4 B)");
  EXPECT_EQ(networks[1]["key"], "2.7B");
}

TEST(FitsPage, IsAbsentWithoutEvidence) {
  EXPECT_EQ(overview_pages({run("A", 80, "1", {})}).back().folder, "A");
}

}  // namespace
}  // namespace labreport::fits_document_test
