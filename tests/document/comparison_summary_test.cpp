// What a comparison says first: who is faster by how much, and what explains it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/comparison/diff_document.h"

namespace labreport {
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

/// Of an H100 (A) and an H200 (B), whose bandwidth is 1.4 times as high and whose peak is the same.
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
                               "H100 (median of 1 network)"));
  EXPECT_THAT(words, HasSubstr("In BF16 training steps the H200 is **1.30 times**"));
}

TEST(ComparisonSummary, TakesTheMedianOfNetworks) {
  EXPECT_THAT(
      said({step(Precision::kFp32, 0.5), step(Precision::kFp32, 0.8), step(Precision::kFp32, 0.9)}),
      HasSubstr("**1.25 times** as fast as the H100 (median of 3 networks)"));
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
  EXPECT_THAT(said({step(Precision::kFp32, 0.9), optimizer(1 / 1.38)}),
              HasSubstr("AdamW is **1.38 times** as fast on the H200, close to the ratio of "
                        "the measured copy bandwidths (1.40), because it is bandwidth-bound."));
  EXPECT_THAT(said({step(Precision::kFp32, 0.9), optimizer(1 / 1.1)}),
              HasSubstr("AdamW is **1.10 times** as fast on the H200."));
}

TEST(ComparisonSummary, SpeaksOfAnyStepWhereNoneTrains) {
  const auto inference = row(Measure::kStep, Mode::kInference, Precision::kFp32, 0.5);
  EXPECT_EQ(said({inference}),
            "The H200 is **2.00 times** as fast as the H100 in the median of 1 timing.");
  EXPECT_EQ(said({optimizer(1)}), "No whole step has a value on both sides.");
}

}  // namespace
}  // namespace labreport
