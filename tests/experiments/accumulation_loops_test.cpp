#include "experiments/mixed_precision_accumulation/loops.h"

#include <gtest/gtest.h>

#include "fakes/fake_report.h"

namespace labreport::mixed_precision_accumulation {
namespace {

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

TEST(AccumulationLoops, OnesThatAreMissingAreLeftOut) { EXPECT_TRUE(loops_of(Launch{}).empty()); }

}  // namespace
}  // namespace labreport::mixed_precision_accumulation
