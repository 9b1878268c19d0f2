#include "experiments/common/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/common/ratio.h"

namespace labreport::change_test {
namespace {

TEST(CertainRatio, HasTwoDecimalsOrFewerByTheDeviation) {
  EXPECT_EQ(certain_ratio(4.84, 3.4), "5");
  EXPECT_EQ(certain_ratio(2.066, 0.168), "2.1");
  EXPECT_EQ(certain_ratio(3.817, 0.523), "3.8");
  EXPECT_EQ(certain_ratio(2.4256, 0.0085), "2.43");
  EXPECT_EQ(certain_ratio(2.4256, 0), "2.43");
  EXPECT_EQ(certain_digits(84.3, 1.3, 1), "84");
  EXPECT_EQ(certain_ms(35.24, 2.1), "35");
  EXPECT_EQ(certain_ms(35.24, 0.04), "35.2");
  EXPECT_EQ(certain_ms(776.38, 0.2), "776");
  EXPECT_EQ(certain_ms(7.384, 0), "7.38");
}

TEST(StatedRatio, HasItsDeviationUnlessItIsClearAndTheDeviationIsSmall) {
  EXPECT_EQ(stated_ratio({1.92, 0.19}, {Notation::kFixed, 2}), "1.92");
  EXPECT_EQ(stated_ratio({1.92, 0.2}, {Notation::kFixed, 2}), "1.92 ± 0.20");
  EXPECT_EQ(stated_ratio({1.02, 0.03}, {Notation::kFixed, 2}), "1.020 ± 0.030");
  EXPECT_EQ(stated_ratio({327, 210}, kThreeDigits), "327 ± 210");
}

TEST(Variation, NeedsTwoSamples) {
  EXPECT_EQ(variation_of({3}), std::nullopt);
  EXPECT_NEAR(variation_of({3, 4}).value_or(0), 0.202, 0.001);
}

TEST(Trend, IsGrowthOnlyBeyondTheDeviations) {
  EXPECT_EQ(trend_of({{2.4, 0.01}, {3.2, 0.01}, {5.1, 0.02}}), Trend::kGrows);
  EXPECT_EQ(trend_of({{0.9, 0.9}, {1.2, 0.5}, {1.9, 1.0}}), Trend::kUnclear);
  EXPECT_EQ(trend_of({{2.4, 0.01}, {1.1, 0.01}, {5.1, 0.02}}), Trend::kUneven);
  EXPECT_EQ(trend_of({{2.4, 0.01}, {2.3, 0.2}, {5.1, 0.02}}), Trend::kGrows);
  EXPECT_EQ(trend_of({{2.40, 0}, {2.40, 0}}), Trend::kAlike);
  EXPECT_EQ(trend_of({{2.4, 0.1}}), Trend::kAlike);
}

TEST(Ratios, AreClearBeyondTheirDeviation) {
  EXPECT_TRUE((Ratio{1.23, 0.17}.is_clear()));
  EXPECT_TRUE((Ratio{0.88, 0.09}.is_clear()));
  EXPECT_FALSE((Ratio{1.21, 0.22}.is_clear()));
  EXPECT_FALSE((Ratio{1, 0}.is_clear()));
}

TEST(Means, AreRemarkedIfTheyLeaveAnOutlierOut) {
  EXPECT_THAT(outlier_remark("forward", {10, 10, 10, 11, 40}),
              testing::ElementsAre("mean of forward without it 10.25 ms"));
  EXPECT_THAT(outlier_remark("forward", {10, 10, 10, 10.1, 10}), testing::IsEmpty());
}

}  // namespace
}  // namespace labreport::change_test
