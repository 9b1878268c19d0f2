// Tests the first sentences of a comparison: who is faster by how much, and why.
#include <gmock/gmock.h>

#include "document/comparison/diff_document.h"
#include "document/comparison/diff_facts.h"
#include "document/keyed_number.h"
#include "plan/editions.h"

namespace labreport::comparison_summary_test {
namespace {

using testing::HasSubstr;
using testing::Not;

ComparedRow row(Measure measure, Mode mode, Precision precision, double b_over_a) {
  ComparedRow row{.cell_id = "cell", .cell_id_b = "cell", .size = "small", .measure = measure};
  row.spec.kind = CellKind::kTiming;
  row.spec.mode = mode;
  row.spec.precision = precision;
  row.spec.model = ModelShape{768, 3072, 12, 12, 10000};
  row.spec.context = 512;
  row.ratio = b_over_a;
  row.a.value = 1e9;
  row.b.value = 1e9 * b_over_a;
  return row;
}

ComparedRow step(Precision precision, double b_over_a) {
  return row(Measure::kStep, Mode::kTrainStep, precision, b_over_a);
}

ComparedRow optimizer(double b_over_a) {
  return row(Measure::kOptimizer, Mode::kTrainStep, Precision::kFp32, b_over_a);
}

std::string words_of(const Document& document) {
  return without_keys(document.sections.front().parts.front().answer);
}

Document document_of(const Comparison& comparison) {
  return diff_document(comparison, {"a", ""}, {"b", ""});
}

/// Returns the summary that compares an H100 (A) with an H200 (B).
std::string summary_words(std::vector<ComparedRow> rows) {
  Comparison comparison{.rows = std::move(rows)};
  comparison.a.device = "NVIDIA H100";
  comparison.b.device = "NVIDIA H200";
  return words_of(diff_document(comparison, {"a", ""}, {"b", ""}));
}

ComparedRow of_size(ComparedRow row, const char* size, std::int64_t layers) {
  row.cell_id = row.cell_id_b = row.size = size;
  row.spec.model->layers = layers;
  return row;
}

TEST(ComparisonSummary, OmitsAllButTheLargestNetwork) {
  const std::string words = summary_words({of_size(step(Precision::kFp32, 0.8), "large", 36),
                                           of_size(step(Precision::kFp32, 0.5), "small", 12)});
  EXPECT_THAT(words, AllOf(HasSubstr("large's FP32"), Not(HasSubstr("small's"))));
}

TEST(ComparisonSummary, PrefersStepsOfOneProcess) {
  ComparedRow parallel = step(Precision::kFp32, 0.2);
  parallel.spec.kind = CellKind::kDataParallel;
  parallel.spec.ranks = Ranks{2, Collectives::kNccl};
  parallel.spec.scheme = Scheme::kFlat;
  EXPECT_THAT(summary_words({step(Precision::kFp32, 0.5), parallel}), HasSubstr("**2.00×**"));
  EXPECT_THAT(summary_words({parallel}), HasSubstr("5.00×")) << "where they are all there is";
}

TEST(ComparisonSummary, WritesTimesWhoseQuotientIsTheRatioBesideThem) {
  EXPECT_THAT(
      summary_words({step(Precision::kFp32, 0.4996)}),
      AllOf(HasSubstr("takes **500 ms**"), HasSubstr("the H100 1,000 ms: the H200 is **2.00×**")));
  EXPECT_THAT(summary_words({step(Precision::kFp32, 0.1249)}),
              AllOf(HasSubstr("takes **124.9 ms**"), HasSubstr("**8.01×**")));
}

TEST(ComparisonSummary, CallsStepsWithinOnePercentEquallyFast) {
  EXPECT_THAT(summary_words({step(Precision::kFp32, 1.005)}),
              HasSubstr("The H100 and the H200 take 1,000 ms for small's FP32 training step at "
                        "context 512, to within a per cent."));
}

TEST(ComparisonSummary, CallsNoStepsEquallyFastWhoseRangesAreWide) {
  ComparedRow wide = step(Precision::kFp32, 1.001);
  wide.a.range = {900e6, 1100e6};
  wide.b.range = {980e6, 1020e6};
  EXPECT_THAT(summary_words({wide}), Not(HasSubstr("to within a per cent")));
}

TEST(ComparisonSummary, UsesOtherStepsIfNoTrainingStepRan) {
  const auto inference = row(Measure::kStep, Mode::kInference, Precision::kFp32, 0.5);
  EXPECT_EQ(summary_words({inference}),
            "- The H200 is **2.00×** as fast as the H100 in the only timing that both runs have.");
  EXPECT_EQ(summary_words({optimizer(1)}), "No whole step has a value on both sides.");
  EXPECT_EQ(summary_words({}), "Nothing in the cells that both runs have can be compared yet.");
}

/// Returns the figure of the training steps of an H100 (A) and an H200 (B).
Figure step_figure(std::vector<ComparedRow> rows) {
  Comparison comparison{.rows = std::move(rows)};
  comparison.a.device = "NVIDIA H100";
  comparison.b.device = "NVIDIA H200";
  const Document document = document_of(comparison);
  return document.sections.front().parts.front().figures.at(0);
}

TEST(StepFigure, IsOrderedByTheRatioThatItsTitleNames) {
  const Figure figure = step_figure({of_size(step(Precision::kFp32, 0.8), "large", 36),
                                     of_size(step(Precision::kFp32, 0.5), "small", 12)});
  EXPECT_EQ(figure.title, "The H200 is 1.25 to 2.00× as fast in 2 training steps");
  EXPECT_THAT(figure.alt, HasSubstr("small, FP32: H100 1,000 ms, H200 500 ms."));
  EXPECT_EQ(figure.table.text(figure.table.rows.at(0), 0), "small, FP32");
}

TEST(StepFigure, ClaimsNoMoreThanItsRows) {
  const auto title = [](double first, double second) {
    return step_figure({of_size(step(Precision::kFp32, first), "large", 36),
                        of_size(step(Precision::kFp32, second), "small", 12)})
        .title;
  };
  EXPECT_EQ(title(1.25, 1), "The H100 is up to 1.25× as fast in 2 training steps");
  EXPECT_EQ(title(1.25, 1.25), "The H100 is 1.25× as fast in 2 training steps");
  EXPECT_EQ(title(0.8, 1.25), "Neither is faster in all of 2 training steps");
  EXPECT_EQ(title(1.005, 0.995), "Both are equally fast in 2 training steps, to within a per cent");
}

TEST(ComparisonSummary, WritesOneCellInTheSingular) {
  Comparison comparison{.matched_cells = 1};
  EXPECT_THAT(diff_document(comparison, {"a", ""}, {"b", ""}).provenance,
              HasSubstr("1 measurement in both runs, 0 more of A"));
  comparison.matched_cells = 2;
  EXPECT_THAT(diff_document(comparison, {"a", ""}, {"b", ""}).provenance,
              HasSubstr("2 measurements in both runs, "));
}

/// Returns a comparison of labreport's network with a user's model on one machine, whose limits
/// differ only by noise.
Comparison comparison_of_two_models(std::vector<ComparedRow> rows) {
  Comparison comparison{.rows = std::move(rows)};
  comparison.machines.relation = Relation::kSameMachine;
  comparison.a.device = comparison.b.device = "NVIDIA H200";
  comparison.a.limits.copy_bandwidth = 3e12;
  comparison.b.limits.copy_bandwidth = 3.1e12;
  comparison.b.implementation = "Net-0a1b2c3d";
  return comparison;
}

TEST(TwoModels, AreCalledByTheirNames) {
  const Document document =
      document_of(comparison_of_two_models({step(Precision::kFp32, 1.5), optimizer(0.5)}));
  EXPECT_EQ(document.title, "Net-0a1b2c3d vs. labreport’s network");
  EXPECT_THAT(words_of(document),
              HasSubstr("labreport’s network takes **1,000 ms** for small's FP32 training "
                        "step at context 512, Net-0a1b2c3d 1,500 ms"));
}

TEST(TwoModels, HaveAWarningIfEachSideHasOneLaunch) {
  ComparedRow single = step(Precision::kFp32, 0.9);
  const auto answer = [&] { return words_of(document_of(comparison_of_two_models({single}))); };
  EXPECT_THAT(answer(), Not(HasSubstr("once")));
  single.a.launch_values = single.b.launch_values = {1e6};
  EXPECT_THAT(answer(), HasSubstr("Each side was launched once"));
}

/// Returns the summary of a run that has these quantities.
RunSummary run_summary_of(const char* gpu, std::vector<Quantity> quantities) {
  RunSummary run{};
  run.device = gpu;
  run.title = "How fast";
  run.started_at = "2026-05-01T10:15:00Z";
  run.quantities = std::move(quantities);
  return run;
}

/// Returns the values of a topic in ms, for one network and setting.
Quantity quantity_of(const char* topic, std::vector<std::pair<std::string, double>> values,
                     std::vector<std::string> set_by_cpu = {}) {
  return {.topic = topic,
          .network = "small",
          .parameters = static_cast<double>(parameter_count(ModelShape{768, 3072, 12, 12, 10000})),
          .precision = "BF16",
          .setting = "context 512",
          .unit = "ms",
          .values = std::move(values),
          .set_by_cpu = std::move(set_by_cpu)};
}

/// Compares an H100 (A) with an H200 (B), of which runs have these quantities.
Document document_with_quantities(const Quantity& of_a, const Quantity& of_b, double b_over_a = 0.8,
                                  std::vector<ComparedRow> more = {}, double price_a = 0,
                                  double price_b = 0) {
  Comparison comparison{.rows = {step(Precision::kBf16, b_over_a)}};
  std::ranges::move(more, std::back_inserter(comparison.rows));
  comparison.a.device = "NVIDIA H100";
  comparison.b.device = "NVIDIA H200";
  return diff_document(comparison,
                       {"a",
                        "",
                        {run_summary_of("NVIDIA H100", {of_a}), run_summary_of("NVIDIA H100", {})},
                        price_a},
                       {"b", "", {run_summary_of("NVIDIA H200", {of_b})}, price_b});
}

TEST(ComparisonCard, ShowsTheTunedStepAndTheRatioOfPrices) {
  const Document document =
      document_with_quantities(quantity_of(topic::kFastestStep, {{"einsum", 900}, {"SDPA", 120}}),
                               quantity_of(topic::kFastestStep, {{"einsum", 800}, {"SDPA", 100}}));
  const std::string answer = words_of(document);
  EXPECT_THAT(answer,
              HasSubstr("Tuned, small's BF16 training step takes **100 ms** on the H200 and "
                        "120 ms on the H100: the H200 is **1.20×** as fast."));
  EXPECT_THAT(answer, HasSubstr("an hour of the H200 may cost **1.25×** an hour of the H100 for "
                                "small in BF16 and **1.20×** for small in BF16, tuned."));
  EXPECT_THAT(answer, Not(HasSubstr("rent"))) << "no price is given";
  ASSERT_EQ(document.script_data.size(), 2u);
  EXPECT_EQ(document.script_data.back().at("b"), 100);
}

TEST(ComparisonCard, SaysWhichGpuToRentAtThesePrices) {
  const Quantity no_ladder = quantity_of(topic::kMemory, {});
  const auto answer = [&](double price_a, double price_b) {
    return words_of(document_with_quantities(no_ladder, no_ladder, 0.8,
                                             {step(Precision::kFp32, 0.5)}, price_a, price_b));
  };
  const std::string dearer_b = answer(2, 3);
  EXPECT_THAT(dearer_b, HasSubstr("For small in FP32, rent **the H200**: 1,000 steps cost"));
  EXPECT_THAT(dearer_b, HasSubstr("on the H100, so 25 % less.")) << "1 - 0.5 * 3 / 2";
  EXPECT_THAT(dearer_b, HasSubstr("For small in BF16, rent **the H100**: 1,000 steps cost"));
  EXPECT_THAT(dearer_b, HasSubstr("on the H200, so 17 % less.")) << "1 - 2 / (0.8 * 3)";
  EXPECT_THAT(answer(4, 5), HasSubstr("For small in BF16, both cost the same,"));
  EXPECT_THAT(answer(4, 0), Not(HasSubstr("cost the same")));
}

TEST(ComparisonSummary, DividesTheDifferenceAmongKindsOfKernels) {
  const auto kernels = [](double gemms_ms, double optimizer_ms, double others_ms,
                          std::vector<std::string> set_by_cpu = {}) {
    Quantity quantity = quantity_of(topic::kKernels,
                                    {{"forward: GEMMs", gemms_ms / 3},
                                     {"forward: other kernels", others_ms - 20},
                                     {"backward: GEMMs", gemms_ms * 2 / 3},
                                     {"optimizer", optimizer_ms},
                                     {"loss and unattributed", 20},
                                     {"GPU idle", 50}},
                                    std::move(set_by_cpu));
    quantity.setting = "context 512, batch 4";
    return quantity;
  };
  const auto answer = [&](const Quantity& of_b, double b_bandwidth = 4.2e12) {
    Comparison comparison{.rows = {step(Precision::kBf16, 0.8)}};
    comparison.a.device = "NVIDIA H100";
    comparison.b.device = "NVIDIA H200";
    comparison.a.limits.copy_bandwidth = 3e12;
    comparison.b.limits.copy_bandwidth = b_bandwidth;
    return words_of(diff_document(
        comparison, {"a", "", {run_summary_of("NVIDIA H100", {kernels(400, 350, 200)})}},
        {"b", "", {run_summary_of("NVIDIA H200", {of_b})}}));
  };
  const std::string parts =
      "Of the 200.0 ms between them, AdamW makes 100.0, other kernels 80.0 and "
      "GEMMs 15.0.";
  EXPECT_THAT(answer(kernels(385, 250, 120)),
              HasSubstr(parts + " AdamW gains because the H200 copies memory 1.40× as fast."));
  EXPECT_THAT(answer(kernels(385, 250, 120), 3e12),
              AllOf(HasSubstr(parts), Not(HasSubstr("because"))));
  EXPECT_THAT(answer(kernels(385, 250, 120, {"GPU idle"})), Not(HasSubstr("AdamW")));
  EXPECT_THAT(answer(kernels(400, 330, 170)), Not(HasSubstr("AdamW"))) << "of 200 they explain 50";
}

TEST(ComparisonCard, NamesTheStepThatFitsOneSideOnly) {
  ComparedRow too_large = step(Precision::kFp32, 1);
  too_large.status = RowStatus::kFailedA;
  too_large.ratio.reset();
  too_large.a.value.reset();
  too_large.a.fits = false;
  too_large.spec.context = 1024;
  EXPECT_THAT(summary_words({step(Precision::kFp32, 0.9), too_large}),
              HasSubstr("small's FP32 training step at context 1,024 fits **the H200** and not the "
                        "H100."));
}

TEST(ComparisonCard, SeparatesStepsThatTheCpuSets) {
  const Document document =
      document_with_quantities(quantity_of(topic::kTrainingStep, {{"step", 1000}}, {"step"}),
                               quantity_of(topic::kTrainingStep, {{"step", 800}}));
  const Part& part = document.sections.front().parts.front();
  EXPECT_THAT(part.answer, HasSubstr("CPU sets the step of small in BF16, at least in part"));
  EXPECT_THAT(part.answer, Not(HasSubstr("as fast")));
  EXPECT_EQ(part.tables.front().slug, "cpu");
  EXPECT_EQ(part.tables.front().columns.size(), 4u) << "there is no speedup";
  EXPECT_TRUE(document.script_data.is_null()) << "a price says nothing of a host";
}

TEST(ComparedSteps, OfSeveralGpusAreSetByTheCpuIfTheirSummarySaysSo) {
  Quantity sharded = quantity_of(topic::kSharding, {{"sharded", 700}}, {"sharded"});
  const Quantity data_parallel = quantity_of(topic::kSeveralGpus, {{"flat", 700}});
  const RunSummary run = run_summary_of("NVIDIA H100", {sharded, data_parallel});
  SideRuns runs;
  runs.compared_a.runs = {&run};
  ComparedRow row = step(Precision::kBf16, 1);
  for (const auto& [kind, is_listed] :
       {std::pair(CellKind::kSharding, true), std::pair(CellKind::kDataParallel, false),
        std::pair(CellKind::kCheckpointing, false)}) {
    row.spec.kind = kind;
    EXPECT_EQ(is_set_by_cpu(runs, row), is_listed) << static_cast<int>(kind);
  }
}

TEST(ComparedAllReduces, AreSetByTheCpuUnlessBothSummariesShowThemAsTheGpus) {
  const Quantity all_reduces{.topic = topic::kAllReduce,
                             .setting = "NCCL, 2 ranks",
                             .values = {{"1 MB", 0.04}, {"100 MB", 0.4}},
                             .set_by_cpu = {"1 MB"}};
  const RunSummary run = run_summary_of("NVIDIA H100", {all_reduces});
  SideRuns runs;
  runs.compared_a.runs = runs.compared_b.runs = {&run};
  ComparedRow row;
  row.spec.kind = CellKind::kAllReduce;
  row.spec.ranks = Ranks{2, Collectives::kNccl};
  const auto is_of_gpu = [&](Measure measure) {
    row.measure = measure;
    return !is_set_by_cpu(runs, row);
  };
  EXPECT_TRUE(is_of_gpu(Measure::kAllReduce100Mb));
  EXPECT_FALSE(is_of_gpu(Measure::kAllReduce1Mb)) << "it is listed";
  EXPECT_FALSE(is_of_gpu(Measure::kAllReduce1Kib)) << "summaries lack it";
  row.spec.device = DeviceKind::kCpu;
  EXPECT_TRUE(is_of_gpu(Measure::kAllReduce1Mb));
  row.spec.device = DeviceKind::kCuda;
  row.spec.ranks->count = 4;
  EXPECT_FALSE(is_of_gpu(Measure::kAllReduce100Mb)) << "they are among 2 ranks";
}

TEST(ComparisonCard, TellsNoTunedStepThatTheCpuSets) {
  const auto answer = [](std::vector<std::string> set_by_cpu) {
    return words_of(document_with_quantities(
        quantity_of(topic::kFastestStep, {{"einsum", 900}, {"SDPA", 120}}, std::move(set_by_cpu)),
        quantity_of(topic::kFastestStep, {{"einsum", 800}, {"SDPA", 100}})));
  };
  EXPECT_THAT(answer({}), HasSubstr("Tuned, "));
  EXPECT_THAT(answer({"SDPA"}), Not(HasSubstr("Tuned, ")));
}

TEST(ComparisonCard, NamesNetworksByParametersWhereEditionsMeet) {
  Comparison comparison{.rows = {step(Precision::kBf16, 0.8)}};
  comparison.a.edition = "2025";
  comparison.b.edition = "2026";
  EXPECT_THAT(words_of(diff_document(comparison, {"a", ""}, {"b", ""})),
              HasSubstr("small (129 M)'s BF16 training step"));
}

TEST(ComparisonCard, ShowsTheComparedRunsAndElseTheNewestOnes) {
  const auto run_of = [](const char* gpu, const char* started_at, std::vector<double> ladder) {
    std::vector<Quantity> quantities;
    if (!ladder.empty())
      quantities = {quantity_of(topic::kFastestStep, {{"einsum", 900}, {"SDPA", ladder[0]}})};
    RunSummary run = run_summary_of(gpu, quantities);
    run.started_at = started_at;
    return run;
  };
  const auto tuned = [&](const RunSummary& compared_b) {
    Comparison comparison{.rows = {step(Precision::kBf16, 0.8)}};
    comparison.a.device = "NVIDIA H100";
    comparison.b.device = "NVIDIA H200";
    const DiffSource a{
        "a",
        "",
        {run_of("NVIDIA H100", "2026-05-01", {120}), run_of("NVIDIA H100", "2026-05-03", {110})}};
    const DiffSource b{"b", "", {compared_b, run_of("NVIDIA H200", "2026-05-03", {80})}};
    return words_of(diff_document(comparison, a, b));
  };
  EXPECT_THAT(tuned(run_of("NVIDIA H200", "2026-05-02", {100})),
              HasSubstr("**100 ms** on the H200 and 120 ms on the H100"));
  EXPECT_THAT(tuned(run_of("NVIDIA H200", "2026-05-02", {})),
              HasSubstr("**80.0 ms** on the H200 and 110 ms on the H100"));
}

TEST(ComparisonOthers, ShowTheBestCommonValueAndNameTheRuns) {
  const Document document = document_with_quantities(
      quantity_of(topic::kCompilation, {{"eager", 300}, {"compiled", 250}}),
      quantity_of(topic::kCompilation, {{"eager", 200}}));
  const Section& others = document.sections.at(1);
  ASSERT_EQ(others.problem, "others");
  const TableView& table = others.parts.front().tables.front();
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.text(table.rows[0], 3), "eager (ms)");
  EXPECT_EQ(table.text(table.rows[0], 6), "1.50");
  EXPECT_THAT(others.parts.front().details.method,
              HasSubstr("How fast, NVIDIA H100, 2026-05-01 10:15 UTC"));
}

/// Returns the summary of two models whose kernels' largest difference is in that place.
std::string kernel_words(const PlaceDifference& largest) {
  ComparedRow profile = row(Measure::kKernelTime, Mode::kTrainStep, Precision::kFp32, 1.5);
  profile.spec.kind = CellKind::kKernels;
  profile.spec.model = ModelShape{64, 256, 3, 2, 512};
  Comparison comparison = comparison_of_two_models({profile});
  const PlaceDifference rest{"backward", "norms", {1e6, 20}, {1e6, 20}};
  comparison.step_differences = {{profile.spec, "small", {largest, rest}}};
  return words_of(document_of(comparison));
}

TEST(Places, NameTheLargestDifferenceWithKernelsPerLayer) {
  EXPECT_THAT(kernel_words({"forward", "attention: softmax", {1.2e6, 27}, {3.1e6, 36}}),
              HasSubstr("in the forward pass of attention’s softmax: there Net-0a1b2c3d takes "
                        "**3.10 ms** in 12 kernels a layer, labreport’s network 1.20 ms in 9 "
                        "kernels a layer."));
  EXPECT_THAT(kernel_words({"optimizer", "", {9e6, 100}, {3e6, 4}}),
              HasSubstr("in the optimizer’s step: there labreport’s network takes **9.00 ms** in "
                        "100 kernels, Net-0a1b2c3d 3.00 ms in 4 kernels."));
}

TEST(Places, OmitEqualKernelCounts) {
  EXPECT_THAT(kernel_words({"backward", "feed-forward", {1e6, 30}, {3e6, 30}}),
              HasSubstr("the feed-forward: there Net-0a1b2c3d takes **3.00 ms**, labreport’s "
                        "network 1.00 ms."));
}

TEST(Places, OmitEqualTimes) {
  EXPECT_THAT(kernel_words({"backward", "feed-forward", {1e6, 30}, {1.001e6, 30}}),
              Not(HasSubstr("largest difference")));
}

}  // namespace
}  // namespace labreport::comparison_summary_test
