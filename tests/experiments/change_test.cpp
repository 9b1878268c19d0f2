#include "experiments/common/change.h"

#include <gtest/gtest.h>

#include "experiments/common/ratio.h"

namespace labreport::change_test {
namespace {

TEST(Change, IsAPercentageUpToTwiceAndAFactorBeyond) {
  EXPECT_EQ(describe_change(0.993, 0.001, kMoreThan), "0.7 % less than");
  EXPECT_EQ(describe_change(1.324, 0.001, kLongerThan), "32.4 % longer than");
  EXPECT_EQ(describe_change(14.902, 0.001, kLongerThan), "15× as long as");
  EXPECT_EQ(describe_change(0.42, 0.001, kMoreThan), "0.42× as much as");
  EXPECT_EQ(describe_change(1.0001, 0.001, kMoreThan), "as much as");
}

TEST(Change, HasNoDecimalsIfTheDeviationIsLarge) {
  EXPECT_EQ(describe_change(1.114, 0.34, kMoreThan), "11 % more than");
  EXPECT_EQ(describe_change(1.004, 0.34, kMoreThan), "as much as");
}

TEST(CertainDigits, AreFourOrFewerByTheDeviation) {
  EXPECT_EQ(certain_digits(328.531, 0.012), "328.5");
  EXPECT_EQ(certain_digits(49.58, 6.87), "49.6");
  EXPECT_EQ(certain_digits(49.58, 0), "49.58");
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

TEST(Ratio, IsClearlyBelowALimitOnlyBeyondItsDeviation) {
  EXPECT_TRUE(clearly_below({0.12, 0.18}, 1));
  EXPECT_FALSE(clearly_below({0.65, 0.53}, 1));
}

}  // namespace
}  // namespace labreport::change_test
