// Tests the figures that are made for the topics: what they draw, and what their titles say.
#include "document/index/topic_figures.h"

#include <gmock/gmock.h>

#include <map>

#include "document/index/index_document.h"

namespace labreport::topic_figures_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// Returns two GPUs' runs with these quantities: H100's first.
std::vector<RunSummary> two_gpus(std::vector<Quantity> h100, std::vector<Quantity> h200) {
  std::vector<RunSummary> runs;
  for (auto& [device, quantities] :
       {std::pair("NVIDIA H100", &h100), std::pair("NVIDIA H200", &h200)}) {
    RunSummary& run = runs.emplace_back();
    run.device = device;
    run.edition = "2025";
    run.started_at = "2026-05-01";
    run.folder = std::string(device) + "/2025/one";
    run.quantities = *quantities;
  }
  return runs;
}

/// Returns the first figure on the topic's page.
Figure figure_of(const char* topic, const std::vector<RunSummary>& runs) {
  for (const OverviewPage& page : overview_pages(runs)) {
    if (page.document.title != topic) continue;
    const std::vector<Figure>& figures = page.document.sections.front().parts.front().figures;
    if (!figures.empty()) return figures.front();
  }
  return {};
}

/// Returns the rows of the figure's data whose `field` is `value`.
std::vector<nlohmann::json> rows_where(const Figure& figure, const char* field,
                                       const std::string& value) {
  std::vector<nlohmann::json> rows;
  for (const nlohmann::json& row : figure.spec.at("data").at("values")) {
    if (row.contains(field) && row.at(field) == value) rows.push_back(row);
  }
  return rows;
}

using Values = std::vector<std::pair<std::string, double>>;

Quantity attention(const char* implementation, Values ms) {
  return {.topic = topic::kAttention,
          .precision = "BF16",
          .setting = std::string("d 64, batch 1, ") + implementation,
          .unit = "ms",
          .values = std::move(ms)};
}

TEST(AttentionFigure, DrawsACurveForEachImplementationAndGpu) {
  Quantity eager = attention("eager", {{"2,048 tokens", 1}, {"4,096 tokens", 10}});
  const Quantity flash =
      attention("SDPA flash", {{"2,048 tokens", 0.5}, {"4,096 tokens", 2}, {"8,192 tokens", 8}});
  eager.set_by_cpu = {"2,048 tokens"};
  eager.remark = "out of memory at 8,192 tokens";
  const Figure figure = figure_of(topic::kAttention, two_gpus({eager, flash}, {flash}));
  EXPECT_EQ(figure.title,
            "H100, BF16: over 4,096 tokens, SDPA flash is 5.00 times as fast as attention in plain "
            "operators");
  EXPECT_THAT(figure.alt, HasSubstr("2.00 instead of 10.0 ms"));
  EXPECT_THAT(figure.caption, HasSubstr("memory runs out"));
  EXPECT_THAT(rows_where(figure, "panel", "H200, BF16"), SizeIs(3));
  const auto curve = rows_where(figure, "series", "eager");
  ASSERT_THAT(curve, SizeIs(2)) << "the CPU sets the first length";
  EXPECT_EQ(curve[0].at("at"), 4096);
  EXPECT_EQ(curve[1].at("at"), 8192);
  EXPECT_EQ(curve[1].at("reason"), "out of memory");
}

TEST(AttentionFigure, MarksNoEndWhereAnotherRunFinds) {
  Quantity small_memory = attention("eager", {{"4,096 tokens", 10}});
  small_memory.remark = "out of memory at 8,192 tokens";
  std::vector<RunSummary> runs =
      two_gpus({small_memory}, {attention("eager", {{"4,096 tokens", 9}, {"8,192 tokens", 40}})});
  EXPECT_THAT(figure_of(topic::kAttention, runs).caption, HasSubstr("memory runs out"));
  runs[1].device = runs[0].device;
  EXPECT_THAT(figure_of(topic::kAttention, runs).caption, Not(HasSubstr("memory runs out")));
}

Quantity training_step(const char* precision, double forward_ms, double backward_ms,
                       double optimizer_ms) {
  return {.topic = topic::kTrainingStep,
          .network = "xl",
          .parameters = 2e9,
          .precision = precision,
          .setting = "context 512",
          .unit = "ms",
          .values = {{"step", forward_ms + backward_ms + optimizer_ms},
                     {"forward", forward_ms},
                     {"backward", backward_ms},
                     {"optimizer", optimizer_ms}}};
}

TEST(TrainingStepFigure, StacksPhasesRelativeToTheSlowestGpu) {
  Quantity pale = training_step("FP32", 100, 200, 100);
  pale.set_by_cpu = {"optimizer"};
  const Figure figure =
      figure_of(topic::kTrainingStep,
                two_gpus({pale, training_step("BF16", 20, 30, 50)},
                         {training_step("FP32", 100, 200, 20), training_step("BF16", 10, 15, 25)}));
  EXPECT_EQ(figure.title,
            "The H200 is 1.25 to 2.00 times as fast as the H100 in whole training steps");
  EXPECT_THAT(figure.alt, HasSubstr("xl (2.0 B), BF16: 50.0 ms instead of 100 ms."));
  EXPECT_THAT(figure.caption, HasSubstr("Pale"));
  const auto rows = rows_where(figure, "device", "H200");
  ASSERT_THAT(rows, SizeIs(6));
  EXPECT_EQ(rows[1].at("from"), 0.25);
  EXPECT_EQ(rows[1].at("to"), 0.75);
  EXPECT_EQ(rows[2].at("words"), "320 ms, 1.25×");
  EXPECT_EQ(rows_where(figure, "bound", "CPU").size(), 1u);
}

TEST(TrainingStepFigure, DividesTheStepByPhasesThatTakeLongerTogether) {
  Quantity slow = training_step("BF16", 20, 30, 50);
  slow.values.front().second = 80;
  const Figure figure =
      figure_of(topic::kTrainingStep, two_gpus({slow}, {training_step("BF16", 10, 15, 15)}));
  const auto rows = rows_where(figure, "device", "H100");
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_DOUBLE_EQ(rows[0].at("to"), 0.2);
  EXPECT_DOUBLE_EQ(rows[2].at("to"), 1) << "the step is the slowest";
  EXPECT_DOUBLE_EQ(rows_where(figure, "device", "H200")[2].at("to"), 0.5);
}

TEST(TrainingStepFigure, LeavesOutStepsThatTheCpuSets) {
  Quantity of_cpu = training_step("BF16", 20, 30, 50);
  of_cpu.set_by_cpu = {"step"};
  const std::vector<Quantity> both{training_step("FP32", 100, 200, 100), of_cpu};
  EXPECT_THAT(
      rows_where(figure_of(topic::kTrainingStep, two_gpus(both, both)), "row", "xl (2.0 B), BF16"),
      SizeIs(0));
}

TEST(TrainingStepFigure, HasNoFindingUnlessOneGpuIsAlwaysFaster) {
  const Figure figure =
      figure_of(topic::kTrainingStep,
                two_gpus({training_step("FP32", 100, 200, 100), training_step("BF16", 10, 15, 25)},
                         {training_step("FP32", 100, 200, 20), training_step("BF16", 20, 30, 50)}));
  EXPECT_EQ(figure.title, "Training steps by phase");
}

Quantity peaks(const char* precision, Values gib) {
  return {.topic = topic::kMemory,
          .network = "xl",
          .parameters = 2e9,
          .precision = precision,
          .setting = "batch 4, training step",
          .unit = "GiB",
          .values = std::move(gib)};
}

TEST(MemoryFigure, ShowsWhichGpuIsTooSmallForThePeaks) {
  Quantity fp32 = peaks("FP32", {{"context 512", 60}, {"context 1,024", 110}});
  const Quantity bf16 = peaks("BF16", {{"context 512", 58}, {"context 1,024", 90}});
  fp32.remark = "out of memory at context 2,048";
  std::vector<RunSummary> runs = two_gpus({peaks("FP32", {{"context 512", 60}})}, {fp32, bf16});
  runs[0].memory.device_bytes = 80LL << 30;
  runs[1].memory.device_bytes = 140LL << 30;
  const Figure figure = figure_of(topic::kMemory, runs);
  EXPECT_EQ(figure.title,
            "xl (2.0 B): at context 1,024 it peaks at 110 GiB in FP32 and 90.0 GiB in BF16, too "
            "much for the H100");
  EXPECT_THAT(figure.caption,
              AllOf(HasSubstr("All GPUs allocate the same bytes"), HasSubstr("A cross marks")));
  ASSERT_THAT(rows_where(figure, "words", "H100, 80.0 GiB"), SizeIs(1));
  const auto ends = rows_where(figure, "reason", "out of memory");
  ASSERT_THAT(ends, SizeIs(1));
  EXPECT_EQ(ends[0].at("limit"), 140);
}

TEST(MemoryFigure, CallsNoDifferentPeaksTheSame) {
  const std::vector<Quantity> h100{peaks("FP32", {{"context 512", 60}, {"context 1,024", 70}})};
  const std::vector<Quantity> h200{peaks("FP32", {{"context 512", 60}, {"context 1,024", 71}})};
  EXPECT_THAT(figure_of(topic::kMemory, two_gpus(h100, h200)).caption,
              Not(HasSubstr("the same bytes")));
}

TEST(SeveralGpusFigure, ShowsWhatEachSchemeAdds) {
  Quantity steps{.topic = topic::kSeveralGpus,
                 .network = "xl",
                 .parameters = 2e9,
                 .precision = "FP32",
                 .setting = "2 ranks",
                 .unit = "ms",
                 .values = {{"no communication", 400}, {"flat", 450}, {"overlapped", 410}}};
  const Figure figure = figure_of(topic::kSeveralGpus, two_gpus({steps}, {}));
  EXPECT_EQ(figure.title,
            "On the H100, “flat” adds 50.0 ms to the step without communication, “overlapped” 10.0 "
            "ms");
  EXPECT_THAT(figure.spec.at("data").at("values"), SizeIs(2));
  steps.set_by_cpu = {"no communication"};
  EXPECT_EQ(figure_of(topic::kSeveralGpus, two_gpus({steps}, {})).slug, "")
      << "a baseline of the CPU";
}

Quantity ladder(const char* precision, Values ms) {
  return {.topic = topic::kFastestStep,
          .network = "xl",
          .parameters = 2e9,
          .precision = precision,
          .setting = "context 512",
          .unit = "ms",
          .values = std::move(ms)};
}

TEST(LaddersFigure, DrawsEveryLadderAndNamesTheLargestGain) {
  Quantity of_cpu = ladder("BF16", {{"einsum", 800}, {"SDPA", 10}});
  of_cpu.set_by_cpu = {"einsum"};
  const Quantity fp32 = ladder("FP32", {{"einsum", 1161.3}, {"SDPA", 1000}, {"TF32", 232.26}});
  const Figure figure = figure_of(topic::kFastestStep, two_gpus({fp32, of_cpu}, {fp32}));
  EXPECT_EQ(
      figure.title,
      "Of steps that the GPU sets, the largest gain is 5.00×: xl (2.0 B), FP32 to TF32 on the "
      "H100, from 1,161 to 232 ms");
  EXPECT_THAT(figure.caption, HasSubstr("Hollow"));
  EXPECT_THAT(figure.spec.at("data").at("values"), SizeIs(8));
  EXPECT_THAT(rows_where(figure, "bound", "CPU"), SizeIs(1));
}

Quantity parts(const std::string& change, Values ms) {
  Quantity quantity = ladder("BF16", std::move(ms));
  quantity.topic = topic::kLadderParts;
  quantity.setting += ", " + change;
  return quantity;
}

/// Returns the ladder's figure of strips; one without slug if there is none.
Figure strips_of(const std::vector<RunSummary>& runs) {
  for (const OverviewPage& page : overview_pages(runs)) {
    if (page.document.title != topic::kFastestStep) continue;
    for (const Figure& figure : page.document.sections.front().parts.front().figures) {
      if (figure.slug == "fastest-step-ladder-strips") return figure;
    }
  }
  return {};
}

TEST(LadderStrips, DividesTheStepsWhosePartsAreKnown) {
  const Quantity whole = ladder("BF16", {{"einsum", 320}, {"CUDA graph", 150}, {"compiled", 100}});
  const std::vector<Quantity> with_parts{
      whole, parts("einsum", {{"forward", 60}, {"backward", 140}, {"optimizer", 120}}),
      parts("compiled", {{"forward", 30}, {"backward", 50}, {"optimizer", 20}})};
  const Figure figure = strips_of(two_gpus(with_parts, {whole}));
  EXPECT_EQ(figure.title,
            "xl (2.0 B), BF16, H100: optimizer falls from 120 to 20.0 ms, the most of all parts");
  const auto strip = rows_where(figure, "change", "einsum");
  ASSERT_THAT(strip, SizeIs(3));
  EXPECT_EQ(strip[2].at("from"), 200);
  EXPECT_EQ(strip[2].at("to"), 320);
  EXPECT_EQ(strip[2].at("words"), "320");
  EXPECT_THAT(rows_where(figure, "panel", "xl (2.0 B), BF16, H200"), SizeIs(0));
}

TEST(LadderStrips, LeaveOutPartsThatTakeNoTime) {
  const Quantity whole = ladder("BF16", {{"einsum", 320}, {"compiled", 100}});
  const std::vector<Quantity> with_parts{
      whole, parts("einsum", {{"forward", 200}, {"GPU idle", 120}}),
      parts("compiled", {{"forward", 100}, {"GPU idle", 5.7e-14}})};
  const Figure figure = strips_of(two_gpus(with_parts, {whole}));
  const auto strip = rows_where(figure, "change", "compiled");
  ASSERT_THAT(strip, SizeIs(1));
  EXPECT_EQ(strip[0].at("words"), "100") << "the last part that is drawn has the step";
  EXPECT_THAT(figure.title, HasSubstr("GPU idle falls from 120 to"));
}

TEST(LadderStrips, NeedPartsOfTheRunWhoseStepIsShown) {
  const Quantity whole = ladder("BF16", {{"einsum", 320}, {"compiled", 100}});
  EXPECT_EQ(strips_of(two_gpus({whole}, {whole})).slug, "") << "an older summary has no parts";
  std::vector<RunSummary> runs = two_gpus({whole, parts("einsum", {{"forward", 320}})}, {whole});
  runs[1].device = runs[0].device;
  runs[1].started_at = "2026-05-02";
  EXPECT_EQ(strips_of(runs).slug, "") << "the newer run's step is shown";
}

TEST(TopicPage, RepeatsNoNumberOfItsFigureInTheDrawer) {
  const std::vector<Quantity> quantities{training_step("FP32", 100, 200, 100)};
  for (const OverviewPage& page : overview_pages(two_gpus(quantities, quantities))) {
    if (page.document.title != topic::kTrainingStep) continue;
    EXPECT_THAT(page.document.sections.front().parts.front().details.tables, SizeIs(0));
  }
}

}  // namespace
}  // namespace labreport::topic_figures_test
