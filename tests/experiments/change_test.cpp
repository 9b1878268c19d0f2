#include "experiments/common/change.h"

#include <gtest/gtest.h>

#include "experiments/common/ratio.h"

namespace labreport::change_test {
namespace {

TEST(CertainRatio, HasTwoDecimalsOrFewerByTheDeviation) {
  EXPECT_EQ(certain_ratio(4.84, 3.4), "4.8");
  EXPECT_EQ(certain_ratio(2.4256, 0.0085), "2.43");
  EXPECT_EQ(certain_ratio(2.4256, 0), "2.43");
}

TEST(Variation, NeedsTwoSamples) {
  EXPECT_EQ(variation_of({3}), std::nullopt);
  EXPECT_GT(variation_of({3, 4}), kSteadyUpTo);
  EXPECT_LT(variation_of({3, 3.1}), kSteadyUpTo);
}

TEST(Trend, IsGrowthOnlyBeyondTheDeviations) {
  EXPECT_EQ(trend_of({{2.4, 0.01}, {3.2, 0.01}, {5.1, 0.02}}), Trend::kGrows);
  EXPECT_EQ(trend_of({{0.9, 0.9}, {1.2, 0.5}, {1.9, 1.0}}), Trend::kUnclear);
  EXPECT_EQ(trend_of({{2.4, 0.01}, {1.1, 0.01}, {5.1, 0.02}}), Trend::kUneven);
  EXPECT_EQ(trend_of({{2.4, 0.01}, {2.3, 0.2}, {5.1, 0.02}}), Trend::kGrows);
  EXPECT_EQ(trend_of({{2.40, 0}, {2.40, 0}}), Trend::kAlike);
  EXPECT_EQ(trend_of({{2.4, 0.1}}), Trend::kAlike);
}

}  // namespace
}  // namespace labreport::change_test
