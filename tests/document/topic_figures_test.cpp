// Tests the figures that are made for the topics: what they draw, and what their titles say.
#include "document/index/topic_figures.h"

#include <gmock/gmock.h>

#include <map>

#include "document/index/index_document.h"
#include "document/keyed_number.h"

namespace labreport::topic_figures_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

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

/// Returns the figure of that slug on the topic's page; one without slug if there is none.
Figure figure_called(const std::string& slug, const char* topic,
                     const std::vector<RunSummary>& runs) {
  for (const OverviewPage& page : overview_pages(runs)) {
    if (page.document.title != topic) continue;
    for (const Section& section : page.document.sections) {
      for (const Figure& figure : section.parts.front().figures) {
        if (figure.slug == slug) return figure;
      }
    }
  }
  return {};
}

/// Returns the answer of the topic's first section, without the keys of its numbers.
std::string answer_of(const char* topic, const std::vector<RunSummary>& runs) {
  for (const OverviewPage& page : overview_pages(runs)) {
    if (page.document.title == topic)
      return without_keys(page.document.sections.front().parts.front().answer);
  }
  return "";
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
            "H100, BF16: over 4,096 tokens, SDPA flash is 5.00× as fast as attention in plain "
            "operators");
  EXPECT_THAT(figure.alt, HasSubstr("2.00 instead of 10.0 ms"));
  EXPECT_THAT(figure.caption, HasSubstr("memory runs out"));
  EXPECT_THAT(rows_where(figure, "panel", "BF16"), SizeIs(8)) << "both GPUs share a panel";
  EXPECT_THAT(rows_where(figure, "device", "H200"), SizeIs(3));
  EXPECT_THAT(figure.caption, HasSubstr("Filled and solid: H200; hollow and dashed: H100."));
  EXPECT_EQ(rows_where(figure, "device", "H200").front().at("fill"), 1);
  EXPECT_EQ(rows_where(figure, "device", "H100").front().at("fill"), 0);
  const auto curve = rows_where(figure, "series", "eager");
  ASSERT_THAT(curve, SizeIs(2)) << "the CPU sets the first length";
  EXPECT_EQ(curve[0].at("at"), 4096);
  EXPECT_EQ(curve[1].at("at"), 8192);
  EXPECT_EQ(curve[1].at("reason"), "out of memory");
}

TEST(AttentionFigure, DividesTheTimesOfTwoGpus) {
  const auto runs = [](double fused_ms) {
    return two_gpus({attention("eager", {{"4,096 tokens", 9}, {"8,192 tokens", 48}}),
                     attention("SDPA flash", {{"8,192 tokens", fused_ms}})},
                    {attention("eager", {{"4,096 tokens", 10}, {"8,192 tokens", 40}}),
                     attention("SDPA flash", {{"8,192 tokens", 4}})});
  };
  const Figure figure =
      figure_called("attention-attention-advantages", topic::kAttention, runs(3.96));
  EXPECT_EQ(figure.title,
            "At a curve's longest length the H200 is 1.20× as fast as the H100 in plain operators, "
            "0.99× in fused kernels");
  const auto curve = rows_where(figure, "series", "eager");
  ASSERT_THAT(curve, SizeIs(2));
  EXPECT_DOUBLE_EQ(curve[0].at("times"), 0.9);
  auto one_gpu = runs(3.96);
  one_gpu.pop_back();
  EXPECT_EQ(figure_called("attention-attention-advantages", topic::kAttention, one_gpu).slug, "");
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

TEST(AttentionBytesFigure, NamesTheLongestLengthThatIsTwiceAnother) {
  Quantity kept{.topic = topic::kAttentionMemory,
                .precision = "FP32",
                .setting = "batch 8, eager",
                .unit = "MiB",
                .values = {{"1,024 tokens", 1024}, {"2,048 tokens", 4096}, {"3,072 tokens", 9216}}};
  kept.remark = "out of memory at 4,096 tokens";
  const Figure figure =
      figure_called("attention-s-memory-attention-bytes", topic::kAttention, two_gpus({kept}, {}));
  EXPECT_EQ(figure.title,
            "In FP32, attention keeps 4 GiB over 2,048 tokens and 1 GiB over 1,024 tokens");
  const auto curve = rows_where(figure, "panel", "FP32");
  ASSERT_THAT(curve, SizeIs(4));
  EXPECT_EQ(curve.back().at("name"), "4,096 tokens");
  EXPECT_EQ(curve.back().at("reason"), "out of memory");
}

TEST(AttentionBytesFigure, ComparesPlainOperatorsWithTheMostFrugalFusedKernel) {
  const auto kept = [](const char* setting, Values mib) {
    return Quantity{.topic = topic::kAttentionMemory,
                    .precision = "BF16",
                    .setting = setting,
                    .unit = "MiB",
                    .values = std::move(mib)};
  };
  const std::vector<Quantity> all{
      kept("batch 8, eager", {{"2,048 tokens", 512}}),
      kept("batch 1, eager", {{"1,024 tokens", 16}, {"2,048 tokens", 64}}),
      kept("batch 1, SDPA flash", {{"1,024 tokens", 0.25}, {"2,048 tokens", 0.5}}),
      kept("batch 1, SDPA math", {{"2,048 tokens", 0.1}})};
  const Figure figure =
      figure_called("attention-s-memory-attention-bytes", topic::kAttention, two_gpus(all, all));
  EXPECT_EQ(figure.title,
            "BF16, batch 1: over 2,048 tokens, attention in plain operators keeps 64 MiB for "
            "backward, SDPA flash 512 KiB");
  EXPECT_THAT(figure.caption, HasSubstr("their curves coincide"));
  EXPECT_EQ(figure.spec.at("data").at("values").front().at("panel"), "BF16, batch 1");
  EXPECT_THAT(rows_where(figure, "panel", "BF16, batch 8"), SizeIs(2));
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
  EXPECT_EQ(figure.title, "The H200 is 1.25 to 2.00× as fast as the H100 in whole training steps");
  EXPECT_THAT(figure.alt, HasSubstr("xl (2.0 B), BF16: 50.0 ms instead of 100 ms."));
  EXPECT_THAT(figure.caption, HasSubstr("Pale"));
  const auto rows = rows_where(figure, "device", "H200");
  ASSERT_THAT(rows, SizeIs(6));
  EXPECT_EQ(rows[1].at("from"), 0.25);
  EXPECT_EQ(rows[1].at("to"), 0.75);
  EXPECT_EQ(rows[2].at("words"), "320 ms, 1.25×");
  EXPECT_EQ(rows_where(figure, "bound", "CPU, at least in part").size(), 1u);
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

TEST(TrainingStepFigure, TellsTheUtilizationAndWhatTakesTheTime) {
  Quantity mfu = training_step("BF16", 0, 0, 0);
  mfu.unit = "%";
  mfu.values = {{"MFU", 14.24}};
  Quantity kernels = training_step("BF16", 0, 0, 0);
  kernels.topic = topic::kKernels;
  kernels.values = {
      {"forward: GEMMs", 10}, {"backward: GEMMs", 20}, {"optimizer", 50}, {"GPU idle", 20}};
  const auto runs = two_gpus({training_step("BF16", 20, 30, 50)},
                             {training_step("BF16", 10, 15, 25), mfu, kernels});
  EXPECT_THAT(answer_of(topic::kTrainingStep, runs),
              HasSubstr("That is an MFU of **14.2 %** on the H200. GEMMs take 30.0 % of the step "
                        "on the H200, the optimizer 50.0 %."));
  const auto rows = rows_where(figure_of(topic::kTrainingStep, runs), "device", "H200");
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_TRUE(rows[1].at("mfu").is_null()) << "only the bar's end has room for it";
  EXPECT_EQ(rows[2].at("mfu_text"), "14.2");
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
  EXPECT_THAT(answer_of(topic::kMemory, runs),
              StartsWith("xl (2.0 B) at context 1,024 fits only the **H200** (batch 4, training "
                         "step): it peaks at **110 GiB** in FP32 and **90.0 GiB** in BF16, and the "
                         "H100 has 80.0 GiB. At context 2,048, the H200 ran out of memory, too."));
  runs[0].memory.device_bytes = 120LL << 30;
  EXPECT_THAT(answer_of(topic::kMemory, runs), Not(HasSubstr("fits only")));
}

TEST(MemoryFigure, ExplainsInferenceByCopiesOfWeightsOnlyIfTheBytesAreTheirs) {
  Quantity fp32 = peaks("FP32", {{"context 128", 8}, {"context 512", 9}});
  fp32.setting = "batch 4, inference forward";
  Quantity bf16 = fp32;
  bf16.precision = "BF16";
  bf16.values = {{"context 128", 11.7}, {"context 512", 12.6}};
  const auto caption = [&] {
    return figure_of(topic::kMemory, two_gpus({fp32, bf16}, {})).caption;
  };
  EXPECT_THAT(caption(), HasSubstr("BF16 takes about 2 bytes for each parameter more than FP32: "
                                   "autocast keeps BF16 copies of the weights."));
  bf16.values = {{"context 128", 9}, {"context 512", 10}};
  EXPECT_THAT(caption(), Not(HasSubstr("autocast")));
}

TEST(MemoryFigure, DrawsNoMemoryThatIsFarAboveAllPeaks) {
  const std::vector<Quantity> quantities{
      peaks("FP32", {{"context 512", 20}, {"context 1,024", 30}})};
  std::vector<RunSummary> runs = two_gpus(quantities, quantities);
  runs[0].memory.device_bytes = 80LL << 30;
  runs[1].memory.device_bytes = 140LL << 30;
  const Figure figure = figure_of(topic::kMemory, runs);
  EXPECT_THAT(rows_where(figure, "words", "H100, 80.0 GiB"), SizeIs(1));
  EXPECT_THAT(rows_where(figure, "words", "H200, 140 GiB"), SizeIs(0));
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
  Quantity added = steps;
  added.topic = topic::kAddedTimes;
  added.values = {{"flat", 52}, {"overlapped", 12}};
  const Figure figure = figure_of(topic::kSeveralGpus, two_gpus({steps, added}, {}));
  EXPECT_EQ(figure.title,
            "On the H100, “flat” adds 52.0 ms to the step without communication, “overlapped” 12.0 "
            "ms");
  EXPECT_THAT(figure.spec.at("data").at("values"), SizeIs(2));
  steps.set_by_cpu = {"no communication"};
  EXPECT_EQ(figure_of(topic::kSeveralGpus, two_gpus({steps, added}, {})).slug, "")
      << "a baseline of the CPU";
}

TEST(SeveralGpusFigure, CrownsNoneOfTheSchemesBesideBackward) {
  Quantity steps{.topic = topic::kSeveralGpus,
                 .network = "xl",
                 .parameters = 2e9,
                 .precision = "FP32",
                 .setting = "2 ranks",
                 .unit = "ms",
                 .values = {{"no communication", 400},
                            {"flat", 450},
                            {"overlapped", 412},
                            {"buckets of 10 MB", 411.8},
                            {"buckets of 100 MB", 415}}};
  Quantity added = steps;
  added.topic = topic::kAddedTimes;
  added.values = {
      {"flat", 52}, {"overlapped", 12}, {"buckets of 10 MB", 11.8}, {"buckets of 100 MB", 15}};
  EXPECT_EQ(figure_of(topic::kSeveralGpus, two_gpus({steps, added}, {})).title,
            "On the H100, “flat” adds 52.0 ms to the step without communication, schemes beside "
            "backward 12 to 15 ms");
}

Quantity checkpoints(const char* unit, Values values) {
  return {.topic = topic::kCheckpointing,
          .network = "xl",
          .parameters = 2e9,
          .precision = "FP32",
          .setting = "context 2,048",
          .unit = unit,
          .values = std::move(values)};
}

TEST(SavingsFigure, ShowsWhatLowersPeaksAndWhatThatCosts) {
  Quantity peaks =
      checkpoints("GiB", {{"1 block per checkpoint", 60}, {"2 blocks per checkpoint", 70}});
  Quantity steps =
      checkpoints("ms", {{"1 block per checkpoint", 640}, {"2 blocks per checkpoint", 630}});
  const std::vector<Quantity> h200{peaks, steps};
  peaks.values.pop_back();
  peaks.remark = "out of memory at 2 blocks per checkpoint, 4 blocks per checkpoint";
  const auto runs = two_gpus({peaks}, h200);
  for (const OverviewPage& page : overview_pages(runs)) {
    if (page.document.title != topic::kMemory) continue;
    const Figure& figure = page.document.sections.front().parts.front().figures.front();
    EXPECT_EQ(
        figure.title,
        "On the H200, a step peaks at 60.0 GiB with 1 block per checkpoint and at 70.0 GiB with "
        "2 blocks per checkpoint, in 640 and 630 ms");
    EXPECT_THAT(page.document.sections.front().parts.front().tables, SizeIs(0))
        << "the figure labels all numbers";
    const auto of_h100 = rows_where(figure, "device", "H100");
    ASSERT_THAT(of_h100, SizeIs(3));
    EXPECT_EQ(of_h100[0].at("words"), "60.0 GiB") << "no time is known";
    EXPECT_EQ(of_h100[1].at("words"), "H100: out of memory");
    EXPECT_EQ(of_h100[2].at("way"), "4 blocks per checkpoint");
    EXPECT_EQ(rows_where(figure, "device", "H200")[1].at("words"), "70.0 GiB, 630 ms");
    return;
  }
  FAIL() << "there is no page";
}

TEST(SavingsFigure, NamesTheWaysThatFitNoGpu) {
  Quantity h100 = checkpoints("GiB", {{"1 block per checkpoint", 60}});
  h100.remark = "out of memory at 2 blocks per checkpoint, no checkpoints";
  Quantity h200 =
      checkpoints("GiB", {{"1 block per checkpoint", 60}, {"2 blocks per checkpoint", 70}});
  h200.remark = "out of memory at no checkpoints";
  EXPECT_THAT(answer_of(topic::kMemory, two_gpus({h100}, {h200})),
              HasSubstr("On every GPU, memory runs out with no checkpoints."));
  EXPECT_THAT(answer_of(topic::kMemory, two_gpus({}, {checkpoints("GiB", h200.values)})),
              Not(HasSubstr("runs out")));
}

TEST(SavingsFigure, LeavesOutTimesThatTheCpuSets) {
  Quantity peaks = checkpoints("GiB", {{"nothing sharded", 60}, {"weights sharded", 40}});
  Quantity steps = checkpoints("ms", {{"nothing sharded", 640}, {"weights sharded", 630}});
  steps.set_by_cpu = {"nothing sharded", "weights sharded"};
  peaks.topic = steps.topic = topic::kSharding;
  const Figure figure = figure_of(topic::kSeveralGpus, two_gpus({peaks, steps}, {}));
  EXPECT_EQ(figure.title, "Memory peaks of a step");
  EXPECT_EQ(rows_where(figure, "way", "weights sharded")[0].at("words"), "40.0 GiB");
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

Quantity parts(const std::string& change, Values ms, const char* precision = "BF16") {
  Quantity quantity = ladder(precision, std::move(ms));
  quantity.topic = topic::kLadderParts;
  quantity.setting += ", " + change;
  return quantity;
}

/// Returns the ladder's figure of strips; one without slug if there is none.
Figure strips_of(const std::vector<RunSummary>& runs) {
  return figure_called("fastest-step-ladder-strips", topic::kFastestStep, runs);
}

Quantity kernels(const char* precision, Values ms) {
  Quantity quantity = ladder(precision, std::move(ms));
  quantity.topic = topic::kKernels;
  return quantity;
}

TEST(KernelBars, GroupTheKernelsOfPassesByKind) {
  const std::vector<Quantity> quantities{
      kernels("FP32", {{"forward: GEMMs", 30},
                       {"forward: other kernels", 5},
                       {"backward: GEMMs", 50},
                       {"optimizer", 10},
                       {"loss and unattributed", 2},
                       {"GPU idle", 3}}),
      kernels("BF16", {{"forward: GEMMs", 4}, {"optimizer", 12}})};
  const Figure figure = figure_called("kernels-of-a-step-kernel-bars", topic::kTrainingStep,
                                      two_gpus(quantities, {}));
  EXPECT_EQ(figure.title,
            "xl (2.0 B), context 512: on the H100, GEMMs take 80.0 % of the step in FP32 and 25.0 "
            "% in BF16");
  const auto bars = rows_where(figure, "row", "FP32, H100");
  ASSERT_THAT(bars, SizeIs(6));
  EXPECT_EQ(bars[1].at("part"), "backward: GEMMs");
  EXPECT_EQ(bars[1].at("from"), 30);
  EXPECT_EQ(bars[3].at("part"), "loss and unattributed");
  EXPECT_EQ(bars[3].at("kind"), "other kernels");
  EXPECT_TRUE(bars[4].at("words").is_null());
  EXPECT_EQ(bars[5].at("to"), 100);
  EXPECT_EQ(bars[5].at("words"), "100 ms");
}

TEST(SpeedupsFigure, LeavesOutPassesThatTheCpuSets) {
  Quantity large = ladder("BF16", {{"step", 3.5}, {"forward", 5}});
  large.topic = topic::kMixedPrecision;
  large.unit = "×";
  Quantity small = large;
  small.network = "small";
  small.parameters = 1e9;
  small.values = {{"step", 2.5}, {"forward", 2}};
  small.set_by_cpu = {"forward"};
  const Figure figure =
      figure_called("mixed-precision-speedups", topic::kTrainingStep, two_gpus({large, small}, {}));
  EXPECT_EQ(
      figure.title,
      "On the H100, a whole step of small (1.0 B) gains 2.50× against FP32, of xl (2.0 B) 3.50×");
  EXPECT_THAT(rows_where(figure, "pass", "step"), SizeIs(2));
  EXPECT_THAT(rows_where(figure, "pass", "forward"), SizeIs(1));
}

TEST(AllReduceFigure, DrawsBandwidthsOfTheCpuPaleAndConcludesNothingFromThem) {
  Quantity times{.topic = topic::kAllReduce,
                 .setting = "NCCL, 2 ranks",
                 .unit = "ms",
                 .values = {{"1 MB", 0.05}, {"100 MB", 0.4}, {"1 GB", 3.2}},
                 .set_by_cpu = {"1 MB"}};
  Figure figure =
      figure_called("all-reduce-all-reduces", topic::kSeveralGpus, two_gpus({times}, {}));
  EXPECT_EQ(figure.title,
            "On the H100, an all-reduce of 1 GB reaches 313 GB/s of bus bandwidth, one of 100 MB "
            "250");
  EXPECT_THAT(rows_where(figure, "bound", "CPU, at least in part"), SizeIs(1));
  EXPECT_EQ(rows_where(figure, "size", "1 GB").front().at("busbw"), 312.5);
  times.set_by_cpu = {"1 MB", "100 MB"};
  figure = figure_called("all-reduce-all-reduces", topic::kSeveralGpus, two_gpus({times}, {}));
  EXPECT_EQ(figure.title, "The bus bandwidth of an all-reduce by size");
}

TEST(AllReduceFigure, CountsWhatEachOfSeveralRanksSends) {
  const Quantity times{.topic = topic::kAllReduce,
                       .setting = "NCCL, 4 ranks",
                       .unit = "ms",
                       .values = {{"100 MB", 0.5}}};
  const Figure figure =
      figure_called("all-reduce-all-reduces", topic::kSeveralGpus, two_gpus({times}, {}));
  EXPECT_DOUBLE_EQ(rows_where(figure, "size", "100 MB").front().at("busbw"), 300)
      << "1.5 times the tensor";
}

TEST(LadderStrips, DividesTheStepsWhosePartsAreKnown) {
  const Quantity whole = ladder("BF16", {{"einsum", 320}, {"CUDA graph", 150}, {"compiled", 100}});
  const std::vector<Quantity> with_parts{
      whole, parts("einsum", {{"forward", 60}, {"backward", 140}, {"optimizer", 120}}),
      parts("compiled", {{"forward", 30}, {"backward", 50}, {"optimizer", 20}})};
  const Figure figure = strips_of(two_gpus(with_parts, {whole}));
  EXPECT_EQ(figure.title,
            "The largest gain is 3.20×: xl (2.0 B), BF16 on the H100, from 320 to 100 ms");
  EXPECT_THAT(figure.caption, Not(HasSubstr("Pale")));
  const auto strip = rows_where(figure, "change", "einsum");
  ASSERT_THAT(strip, SizeIs(3));
  EXPECT_EQ(strip[2].at("from"), 200);
  EXPECT_EQ(strip[2].at("to"), 320);
  EXPECT_TRUE(strip[1].at("step").is_null());
  EXPECT_EQ(strip[2].at("step"), 320);
  EXPECT_THAT(rows_where(figure, "panel", "xl (2.0 B), BF16, H200"), SizeIs(0));
}

TEST(LadderStrips, FindTheStepsOfALadderThatChangesItsPrecision) {
  const Figure figure =
      strips_of(two_gpus({ladder("FP32 to TF32", {{"einsum", 900}, {"TF32", 300}}),
                          parts("einsum", {{"forward", 400}, {"backward", 500}}, "FP32"),
                          parts("TF32", {{"forward", 100}, {"backward", 200}}, "TF32"),
                          parts("TF32", {{"forward", 1}})},
                         {}));
  EXPECT_THAT(rows_where(figure, "change", "einsum"), SizeIs(2));
  const auto strip = rows_where(figure, "change", "TF32");
  ASSERT_THAT(strip, SizeIs(2));
  EXPECT_EQ(strip[1].at("to"), 300);
}

TEST(LadderStrips, NameTheLargestGainOfStepsThatTheGpuSets) {
  Quantity of_cpu = ladder("BF16", {{"einsum", 800}, {"SDPA", 10}});
  of_cpu.set_by_cpu = {"einsum"};
  const Quantity fp32 =
      ladder("FP32 to TF32", {{"einsum", 1161.3}, {"SDPA", 1000}, {"TF32", 232.26}});
  const Figure figure =
      strips_of(two_gpus({fp32, of_cpu, parts("einsum", {{"forward", 800}})}, {fp32}));
  EXPECT_EQ(
      figure.title,
      "Of steps that the GPU sets, the largest gain is 5.00×: xl (2.0 B), FP32 to TF32 on the "
      "H100, from 1,161 to 232 ms");
  EXPECT_THAT(figure.caption, AllOf(HasSubstr("Pale"), Not(HasSubstr("time axis"))));
  EXPECT_THAT(rows_where(figure, "bound", "CPU, at least in part"), SizeIs(1));
}

TEST(LadderStrips, ShareATimeAxisWithinANetwork) {
  Quantity small = ladder("BF16", {{"einsum", 20}, {"compiled", 10}});
  Quantity small_parts = parts("einsum", {{"forward", 20}});
  for (Quantity* quantity : {&small, &small_parts}) {
    quantity->network = "small";
    quantity->parameters = 1e8;
  }
  const Figure figure =
      strips_of(two_gpus({ladder("BF16", {{"einsum", 320}, {"compiled", 100}}),
                          parts("einsum", {{"forward", 320}}), small, small_parts},
                         {}));
  EXPECT_THAT(figure.caption, HasSubstr("Panels of one network share a time axis"));
  EXPECT_THAT(rows_where(figure, "network", "small (100 M)"), SizeIs(1));
}

TEST(LadderStrips, LeaveOutPartsThatTakeNoTime) {
  const Quantity whole = ladder("BF16", {{"einsum", 320}, {"compiled", 100}});
  const std::vector<Quantity> with_parts{
      whole, parts("einsum", {{"forward", 200}, {"GPU idle", 120}}),
      parts("compiled", {{"forward", 100}, {"GPU idle", 5.7e-14}})};
  const Figure figure = strips_of(two_gpus(with_parts, {whole}));
  const auto strip = rows_where(figure, "change", "compiled");
  ASSERT_THAT(strip, SizeIs(1));
  EXPECT_EQ(strip[0].at("step"), 100) << "the last part that is drawn has the step";
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
