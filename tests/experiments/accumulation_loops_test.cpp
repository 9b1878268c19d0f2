#include "experiments/mixed_precision_accumulation/loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/sample_runs.h"
#include "fakes/fake_report.h"

namespace labreport::mixed_precision_accumulation {
namespace {

constexpr const char* kProblem = "mixed_precision_accumulation";

std::vector<Loop> loops() {
  Launch launch;
  CellSpec spec;
  measure_accumulation(launch, spec);
  return loops_of(launch);
}

TEST(AccumulationLoops, SplitTheErrorIntoInputAndAccumulator) {
  const auto all = loops();
  const Loop& mixed = *find(all, metric::kMixedLoop);
  EXPECT_NEAR(mixed.error(), 0.00213623, 1e-8);
  EXPECT_NEAR(mixed.input_error(), mixed.error(), 1e-12);
  const Loop& fp16 = *find(all, metric::kFp16Loop);
  EXPECT_LT(fp16.accumulator_error(), -0.04);
}

TEST(AccumulationLoops, Bf16StallsWhereHalfAUnitExceedsTheAddend) {
  const auto all = loops();
  const Loop& bf16 = *find(all, metric::kBf16Loop);
  EXPECT_EQ(bf16.last(), 4.0);
  const double unit = unit_in_last_place(bf16.last(), bf16.significand);
  EXPECT_EQ(unit, 0.03125);
  EXPECT_GT(unit / 2, bf16.addend);
}

TEST(AccumulationLoops, ExactHalvesHaveNoError) {
  EXPECT_EQ(find(loops(), metric::kHalvesLoop)->error(), 0);
}

std::string answer(const testing_samples::Change& change) {
  const auto run = testing_samples::measured(testing_samples::only(kProblem), change);
  return testing_samples::part_of(run, kProblem).answer;
}

/// FP16's sum goes no further than that.
void stuck_at_nine(const CellSpec&, Launch& launch) {
  for (Metric& metric : launch.metrics) {
    if (metric.tag != metric::kRunning || metric.name != metric::kFp16Loop) continue;
    for (double& sum : std::get<std::vector<double>>(std::get<Samples>(metric.data)))
      sum = std::min(sum, 9.0);
  }
}

TEST(AccumulationAnswer, SaysWhereRoundingUpAndThenDownCancels) {
  EXPECT_THAT(
      answer([](const auto&...) {}),
      testing::HasSubstr("contributes 0.0078; just below 8 it contributed 0.012, and the error "
                         "of 0.50 accumulated by then almost cancels."));
  EXPECT_THAT(answer(stuck_at_nine), testing::Not(testing::HasSubstr("cancels")));
}

TEST(AccumulationLoops, OnesThatAreMissingAreLeftOut) { EXPECT_TRUE(loops_of(Launch{}).empty()); }

}  // namespace
}  // namespace labreport::mixed_precision_accumulation
