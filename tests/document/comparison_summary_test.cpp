// Tests the first sentences of a comparison: who is faster by how much, and why.
#include <gmock/gmock.h>

#include "document/comparison/diff_document.h"
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

/// The summary of an H100 (A) and an H200 (B), whose bandwidth is 1.4 times as high and whose peak
/// is the same.
std::string said(std::vector<ComparedRow> rows, bool limits = true) {
  Comparison comparison{.rows = std::move(rows)};
  comparison.a.device = "NVIDIA H100";
  comparison.b.device = "NVIDIA H200";
  if (limits) {
    comparison.a.limits = {{{Precision::kFp32, 50e12}, {Precision::kBf16, 700e12}}, 3e12};
    comparison.b.limits = {{{Precision::kFp32, 50e12}, {Precision::kBf16, 700e12}}, 4.2e12};
  }
  return diff_document(comparison, {"a", ""}, {"b", ""}).sections.front().parts.front().answer;
}

ComparedRow of_size(ComparedRow row, const char* size, std::int64_t layers) {
  row.cell_id = row.cell_id_b = row.size = size;
  row.spec.model->layers = layers;
  return row;
}

TEST(ComparisonSummary, HasASentenceForEachPrecisionTheFasterSideFirst) {
  const std::string words = said({step(Precision::kFp32, 1.25), step(Precision::kBf16, 0.8)});
  EXPECT_THAT(words, HasSubstr("The H100 takes **1,000 ms** for small's FP32 training step at "
                               "context 512, the H200 1,250 ms: **1.25 times** as long."));
  EXPECT_THAT(words, HasSubstr("The H200 takes **800 ms** for small's BF16 training step at "
                               "context 512, the H100 1,000 ms: **1.25 times** as long."));
}

TEST(ComparisonSummary, SpeaksOfTheLargestNetworkAlone) {
  const std::string words = said({of_size(step(Precision::kFp32, 0.8), "large", 36),
                                  of_size(step(Precision::kFp32, 0.5), "small", 12)});
  EXPECT_THAT(words, AllOf(HasSubstr("large's FP32"), Not(HasSubstr("small's"))));
}

TEST(ComparisonSummary, CallsStepsOfSeveralRanksNoNetworks) {
  ComparedRow parallel = step(Precision::kFp32, 0.2);
  parallel.spec.kind = CellKind::kDataParallel;
  parallel.spec.ranks = Ranks{2, Collectives::kNccl};
  parallel.spec.scheme = Scheme::kFlat;
  EXPECT_THAT(said({step(Precision::kFp32, 0.5), parallel}), HasSubstr("**2.00 times**"));
  EXPECT_THAT(said({parallel}), HasSubstr("5.00 times")) << "where they are all there is";
}

TEST(ComparisonSummary, CallsStepsWithinOnePercentEquallyFast) {
  EXPECT_THAT(said({step(Precision::kFp32, 1.005)}),
              HasSubstr("take equally long within 1 % for small's FP32 training step"));
}

TEST(ComparisonSummary, NamesTheOptimizerWhereItMakesMostOfTheDifference) {
  // The step takes 100 ms less, the optimizer 80 of them.
  ComparedRow adamw = optimizer(0.71);
  adamw.a.value = 0.2759e9;
  adamw.b.value = 0.1959e9;
  const std::string why = "AdamW accounts for 80 % of the difference";
  EXPECT_THAT(said({step(Precision::kFp32, 0.9), adamw}),
              HasSubstr(why + ", because memory bandwidth sets its time and differs 1.40 times."));
  EXPECT_THAT(said({step(Precision::kFp32, 0.9), adamw}, false), HasSubstr(why + "."));
  EXPECT_THAT(said({step(Precision::kFp32, 0.5), adamw}), Not(HasSubstr("AdamW")));
}

TEST(ComparisonSummary, SpeaksOfAnyStepWhereNoneTrains) {
  const auto inference = row(Measure::kStep, Mode::kInference, Precision::kFp32, 0.5);
  EXPECT_EQ(
      said({inference}),
      "- The H200 is **2.00 times** as fast as the H100 in the only timing that both runs have.");
  EXPECT_EQ(said({optimizer(1)}), "No whole step has a value on both sides.");
  EXPECT_EQ(said({}), "Nothing in the cells that both runs have can be compared yet.");
}

TEST(ComparisonSummary, CountsOneCellAsOne) {
  Comparison comparison{.matched_cells = 1};
  EXPECT_THAT(diff_document(comparison, {"a", ""}, {"b", ""}).provenance,
              HasSubstr("1 cell matches, 0 only in A"));
  comparison.matched_cells = 2;
  EXPECT_THAT(diff_document(comparison, {"a", ""}, {"b", ""}).provenance,
              HasSubstr("2 cells match, "));
}

/// A comparison on one machine, whose limits differ only by noise.
Comparison comparison_of_two_models(std::vector<ComparedRow> rows) {
  Comparison comparison{.rows = std::move(rows)};
  comparison.machines.relation = Relation::kSameMachine;
  comparison.a.device = comparison.b.device = "NVIDIA H200";
  comparison.a.limits = {{{Precision::kFp32, 50e12}}, 3e12};
  comparison.b.limits = {{{Precision::kFp32, 51e12}}, 3.1e12};
  comparison.b.implementation = "Net-0a1b2c3d";
  return comparison;
}

Document document_of(const Comparison& comparison) {
  return diff_document(comparison, {"a", ""}, {"b", ""});
}

TEST(TwoModels, AreCalledByTheirNames) {
  const Document document =
      document_of(comparison_of_two_models({step(Precision::kFp32, 1.5), optimizer(0.5)}));
  EXPECT_EQ(document.title, "Net-0a1b2c3d vs. labreport’s network");
  const std::string& answer = document.sections.front().parts.front().answer;
  EXPECT_THAT(answer, HasSubstr("labreport’s network takes **1,000 ms** for small's FP32 training "
                                "step at context 512, Net-0a1b2c3d 1,500 ms"));
}

TEST(TwoModels, HaveAWarningWhereEachWasLaunchedOnce) {
  ComparedRow single = step(Precision::kFp32, 0.9);
  const auto answer = [&] {
    return document_of(comparison_of_two_models({single})).sections.front().parts.front().answer;
  };
  EXPECT_THAT(answer(), Not(HasSubstr("once")));
  single.a.launch_values = single.b.launch_values = {1e6};
  EXPECT_THAT(answer(), HasSubstr("Each side was launched once"));
}

/// The summary of a run of a GPU with these quantities.
RunSummary found(const char* gpu, std::vector<Quantity> quantities) {
  RunSummary run{};
  run.device = gpu;
  run.title = "How fast";
  run.started_at = "2026-05-01T10:15:00Z";
  run.quantities = std::move(quantities);
  return run;
}

Quantity of(const char* topic, std::vector<std::pair<std::string, double>> values,
            const char* remark = "") {
  return {.topic = topic,
          .network = "small",
          .parameters = static_cast<double>(parameter_count(ModelShape{768, 3072, 12, 12, 10000})),
          .precision = "BF16",
          .setting = "context 512",
          .unit = "ms",
          .values = std::move(values),
          .remark = remark};
}

/// The comparison of an H100 (A) and an H200 (B), with the quantities of other runs of the two.
Document with_others(const Quantity& of_a, const Quantity& of_b, double b_over_a = 0.8) {
  Comparison comparison{.rows = {step(Precision::kBf16, b_over_a)}};
  comparison.a.device = "NVIDIA H100";
  comparison.b.device = "NVIDIA H200";
  return diff_document(comparison,
                       {"a", "", {found("NVIDIA H100", {of_a}), found("NVIDIA H100", {})}},
                       {"b", "", {found("NVIDIA H200", {of_b})}});
}

TEST(ComparisonCard, HasTheTunedStepAndThePriceAtWhichBothAreEven) {
  const Document document = with_others(of(topic::kFastestStep, {{"einsum", 900}, {"SDPA", 120}}),
                                        of(topic::kFastestStep, {{"einsum", 800}, {"SDPA", 100}}));
  const std::string& answer = document.sections.front().parts.front().answer;
  EXPECT_THAT(answer,
              HasSubstr("Tuned, small's BF16 training step takes **100 ms** on the H200 and "
                        "120 ms on the H100: **1.20 times** as long."));
  EXPECT_THAT(answer,
              HasSubstr("an hour of the H200 may cost **1.25 times** an hour of the H100 for "
                        "small in BF16, **1.20 times** if the step is tuned."));
  ASSERT_EQ(document.priced_steps.size(), 2u);
  EXPECT_EQ(document.priced_steps.back().b_ms, 100);
}

TEST(ComparisonCard, SaysWhatFitsOnOneSideAlone) {
  ComparedRow refused = step(Precision::kFp32, 1);
  refused.status = RowStatus::kFailedA;
  refused.ratio.reset();
  refused.a.value.reset();
  refused.a.fits = false;
  refused.spec.context = 1024;
  EXPECT_THAT(said({step(Precision::kFp32, 0.9), refused}),
              HasSubstr("small's FP32 training step at context 1,024 fits **the H200** and not the "
                        "H100."));
}

TEST(ComparisonCard, SetsLaunchBoundStepsApart) {
  const Document document = with_others(of(topic::kTrainingStep, {{"step", 1000}}, "launch-bound"),
                                        of(topic::kTrainingStep, {{"step", 800}}));
  const Part& part = document.sections.front().parts.front();
  EXPECT_THAT(part.answer, HasSubstr("Launch-bound: small in BF16."));
  EXPECT_EQ(part.tables.front().slug, "launch-bound");
  EXPECT_TRUE(document.priced_steps.empty()) << "a price says nothing of a host";
}

TEST(ComparisonOthers, HaveTheLastValueThatBothHaveAndNameTheirRuns) {
  const Document document =
      with_others(of(topic::kCompilation, {{"eager", 300}, {"compiled", 250}}),
                  of(topic::kCompilation, {{"eager", 200}}));
  const Section& others = document.sections.at(1);
  ASSERT_EQ(others.problem, "others");
  const TableView& table = others.parts.front().tables.front();
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.text(table.rows[0], 3), "eager (ms)");
  EXPECT_EQ(table.text(table.rows[0], 6), "1.50");
  EXPECT_THAT(others.parts.front().details.method,
              HasSubstr("How fast, NVIDIA H100, 2026-05-01 10:15 UTC"));
}

std::string kernels_said(const PlaceDifference& largest) {
  ComparedRow profile = row(Measure::kKernelTime, Mode::kTrainStep, Precision::kFp32, 1.5);
  profile.spec.kind = CellKind::kKernels;
  profile.spec.model = ModelShape{64, 256, 3, 2, 512};
  Comparison comparison = comparison_of_two_models({profile});
  const PlaceDifference rest{"backward", "norms", {1e6, 20}, {1e6, 20}};
  comparison.step_differences = {{profile.spec, "small", {largest, rest}}};
  return document_of(comparison).sections.at(1).parts.front().answer;
}

TEST(Places, ThatDifferMostAreNamedWithTheirKernelsALayer) {
  EXPECT_THAT(kernels_said({"forward", "attention: softmax", {1.2e6, 27}, {3.1e6, 36}}),
              HasSubstr("in the forward pass of attention’s softmax: there Net-0a1b2c3d takes "
                        "**3.10 ms** in 12 kernels a layer, labreport’s network 1.20 ms in 9 "
                        "kernels a layer."));
  EXPECT_THAT(kernels_said({"optimizer", "", {9e6, 100}, {3e6, 4}}),
              HasSubstr("in the optimizer’s step: there labreport’s network takes **9.00 ms** in "
                        "100 kernels, Net-0a1b2c3d 3.00 ms in 4 kernels."));
}

TEST(Places, WithTheSameKernelsHaveNoCount) {
  EXPECT_THAT(kernels_said({"backward", "feed-forward", {1e6, 30}, {3e6, 30}}),
              HasSubstr("the feed-forward: there Net-0a1b2c3d takes **3.00 ms**, labreport’s "
                        "network 1.00 ms."));
}

TEST(Places, AreNotNamedWhereTheyTakeTheSame) {
  EXPECT_THAT(kernels_said({"backward", "feed-forward", {1e6, 30}, {1.001e6, 30}}),
              Not(HasSubstr("largest difference")));
}

}  // namespace
}  // namespace labreport::comparison_summary_test
