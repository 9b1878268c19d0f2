// A comparison says first who is faster by how much, and what explains it.
#include <gmock/gmock.h>

#include "document/comparison/diff_document.h"

namespace labreport::comparison_summary_test {
namespace {

using testing::HasSubstr;
using testing::Not;

ComparedRow row(Measure measure, Mode mode, Precision precision, double b_over_a) {
  ComparedRow row{.cell = "cell", .cell_b = "cell", .size = "small", .measure = measure};
  row.spec.kind = CellKind::kTiming;
  row.spec.mode = mode;
  row.spec.precision = precision;
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

TEST(ComparisonSummary, HasASentenceForEachPrecision) {
  const std::string words = said({step(Precision::kFp32, 0.9), step(Precision::kBf16, 1 / 1.3)});
  EXPECT_THAT(words, HasSubstr("In FP32 training steps the H200 is **1.11 times** as fast as the "
                               "H100 (small)"));
  EXPECT_THAT(words, HasSubstr("In BF16 training steps the H200 is **1.30 times**"));
}

TEST(ComparisonSummary, TakesTheMedianOfNetworks) {
  EXPECT_THAT(
      said({step(Precision::kFp32, 0.5), step(Precision::kFp32, 0.8), step(Precision::kFp32, 0.9)}),
      HasSubstr("**1.25 times** as fast as the H100 (median of 3 networks)"));
}

TEST(ComparisonSummary, CallsStepsOfSeveralRanksNoNetworks) {
  ComparedRow parallel = step(Precision::kFp32, 0.2);
  parallel.spec.kind = CellKind::kDataParallel;
  parallel.spec.ranks = Ranks{2, Collectives::kNccl};
  parallel.spec.scheme = Scheme::kFlat;
  EXPECT_THAT(said({step(Precision::kFp32, 0.5), parallel}), HasSubstr("**2.00 times**"));
  EXPECT_THAT(said({parallel}), HasSubstr("5.00 times")) << "where they are all there is";
}

TEST(ComparisonSummary, GivesEachOfAFewSizesInPlaceOfTheirNumber) {
  ComparedRow larger = step(Precision::kFp32, 0.8);
  larger.size = "large";
  EXPECT_THAT(said({step(Precision::kFp32, 0.8), larger}),
              HasSubstr("as fast as the H100 (small 1.25×, large 1.25×)"));
  larger.spec.context = 1024;
  EXPECT_THAT(said({step(Precision::kFp32, 0.8), larger}), HasSubstr("(median of 2 networks)"))
      << "a size stands for one context only";
}

TEST(ComparisonSummary, SaysWhetherTheLimitsExplainIt) {
  EXPECT_THAT(
      said({step(Precision::kFp32, 1 / 1.2)}),
      HasSubstr(
          "between the ratios of their measured GEMM peaks (1.00) and copy bandwidths (1.40)"));
  EXPECT_THAT(said({step(Precision::kFp32, 0.5)}), HasSubstr("do not explain"));
  EXPECT_THAT(said({step(Precision::kFp32, 1 / 1.45)}), HasSubstr("do not explain"));
  EXPECT_THAT(said({step(Precision::kFp32, 0.5)}, false), Not(HasSubstr("ratios")));
}

TEST(ComparisonSummary, LimitsAreThoseOfTheFasterSide) {
  const std::string words = said({step(Precision::kFp32, 1.2)});
  EXPECT_THAT(words, HasSubstr("the H100 is **1.20 times** as fast as the H200"));
  EXPECT_THAT(words, HasSubstr("peaks (1.00) and copy bandwidths (0.71) do not explain"));
}

TEST(ComparisonSummary, CallsStepsWithinOnePercentEquallyFast) {
  EXPECT_THAT(said({step(Precision::kFp32, 1.005)}), HasSubstr("equally fast within 1 %"));
}

TEST(ComparisonSummary, TheOptimizerIsBandwidthBoundWhereBandwidthsPredictIt) {
  EXPECT_THAT(
      said({step(Precision::kFp32, 0.9), optimizer(1 / 1.38)}),
      HasSubstr("AdamW is **1.38 times** as fast on the H200 (small), close to the ratio of "
                "the measured copy bandwidths (1.40), because it is bandwidth-bound."));
  EXPECT_THAT(said({step(Precision::kFp32, 0.9), optimizer(1 / 1.1)}),
              HasSubstr("AdamW is **1.10 times** as fast on the H200 (small)."));
}

TEST(ComparisonSummary, TakesTheOptimizerOfOnePrecisionAndSaysThatLaunchesWereSingle) {
  ComparedRow half = optimizer(1 / 3.0);
  half.spec.precision = Precision::kBf16;
  EXPECT_THAT(said({step(Precision::kFp32, 0.9), half, optimizer(1 / 1.1)}),
              AllOf(HasSubstr("AdamW is **1.10 times** as fast"), Not(HasSubstr("once"))));
  ComparedRow single = step(Precision::kFp32, 0.9);
  single.a.launches = single.b.launches = {1e6};
  EXPECT_THAT(said({single}), HasSubstr("Each side was launched once"));
}

TEST(ComparisonSummary, SpeaksOfAnyStepWhereNoneTrains) {
  const auto inference = row(Measure::kStep, Mode::kInference, Precision::kFp32, 0.5);
  EXPECT_EQ(said({inference}), "The H200 is **2.00 times** as fast as the H100 (small).");
  EXPECT_EQ(said({optimizer(1)}), "No whole step has a value on both sides.");
  EXPECT_EQ(said({}), "Nothing in the cells that both runs have can be compared yet.");
}

TEST(ComparisonSummary, CountsOneCellAsOne) {
  Comparison comparison{.matched = 1};
  EXPECT_THAT(diff_document(comparison, {"a", ""}, {"b", ""}).provenance,
              HasSubstr("1 cell matches, 0 only in A"));
  comparison.matched = 2;
  EXPECT_THAT(diff_document(comparison, {"a", ""}, {"b", ""}).provenance,
              HasSubstr("2 cells match, "));
}

/// On one machine, with limits that noise sets apart.
Comparison of_two_models(std::vector<ComparedRow> rows) {
  Comparison comparison{.rows = std::move(rows)};
  comparison.related.relation = Relation::kSameMachine;
  comparison.a.device = comparison.b.device = "NVIDIA H200";
  comparison.a.limits = {{{Precision::kFp32, 50e12}}, 3e12};
  comparison.b.limits = {{{Precision::kFp32, 51e12}}, 3.1e12};
  comparison.b.model = "Net-0a1b2c3d";
  return comparison;
}

Document document_of(const Comparison& comparison) {
  return diff_document(comparison, {"a", ""}, {"b", ""});
}

TEST(TwoModels, AreCalledByTheirNames) {
  const Document document =
      document_of(of_two_models({step(Precision::kFp32, 1.5), optimizer(0.5)}));
  EXPECT_EQ(document.title, "Net-0a1b2c3d vs. labreport’s network");
  const std::string& answer = document.sections.front().parts.front().answer;
  EXPECT_THAT(answer, HasSubstr("labreport’s network is **1.50 times** as fast as Net-0a1b2c3d"));
  EXPECT_THAT(answer, HasSubstr("The optimizer’s step of Net-0a1b2c3d is **2.00 times** as fast"));
  EXPECT_THAT(answer, Not(HasSubstr("copy bandwidths"))) << "one machine has one limit";
}

std::string kernels_said(const PlaceDifference& largest) {
  ComparedRow profile = row(Measure::kKernelTime, Mode::kTrainStep, Precision::kFp32, 1.5);
  profile.spec.kind = CellKind::kKernels;
  profile.spec.model = ModelShape{64, 256, 3, 2, 512};
  Comparison comparison = of_two_models({profile});
  const PlaceDifference rest{"backward", "norms", {1e6, 20}, {1e6, 20}};
  comparison.differences = {{profile.spec, "small", {largest, rest}}};
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
