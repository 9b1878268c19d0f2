#include "analysis/significance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analysis/launch_samples.h"
#include "base/error.h"

namespace labreport {
namespace {

std::vector<double> exponentials(std::vector<double> values) {
  for (double& value : values) value = std::exp(value);
  return values;
}

// Worked by hand: means 2 and 5, variances 1 and 4, so s² = 1/3 + 4/3, t = 3 / √(5/3),
// ν = (5/3)² / ((1/9 + 16/9) / 2).
TEST(Welch, IsTheTextbooksOnLogarithms) {
  const Welch test = welch(exponentials({1, 2, 3}), exponentials({3, 5, 7}));
  EXPECT_NEAR(std::log(test.ratio), 3, 1e-12);
  EXPECT_NEAR(test.standard_error, std::sqrt(5.0 / 3), 1e-12);
  EXPECT_NEAR(test.degrees, 50.0 / 17, 1e-12);
  EXPECT_NEAR(test.p, 0.1042, 5e-4);
}

TEST(Welch, IntervalAndPAgree) {
  LaunchSamples samples(7);
  for (int round = 0; round < 200; ++round) {
    const Welch test = welch(samples.draw(4, 100, 0.01), samples.draw(6, 101, 0.02));
    EXPECT_EQ(test.p < 0.05, test.lower > 1 || test.upper < 1);
    const auto [lower, upper] = test.interval(1 - test.p);
    EXPECT_NEAR(test.ratio > 1 ? lower : upper, 1, 1e-9);
  }
}

TEST(Welch, SwappingInvertsTheRatioAndKeepsTheRest) {
  LaunchSamples samples(8);
  const auto a = samples.draw(3, 100, 0.01);
  const auto b = samples.draw(5, 130, 0.03);
  const Welch there = welch(a, b);
  const Welch back = welch(b, a);
  EXPECT_NEAR(there.ratio * back.ratio, 1, 1e-12);
  EXPECT_NEAR(there.lower * back.upper, 1, 1e-12);
  EXPECT_EQ(there.p, back.p);
  EXPECT_EQ(there.degrees, back.degrees);
}

TEST(Welch, UnitsDoNotMatter) {
  const std::vector<double> a{101, 103, 99};
  const std::vector<double> b{105, 109, 104};
  const Welch nanoseconds = welch(a, b);
  std::vector<double> seconds_a = a;
  std::vector<double> seconds_b = b;
  for (double& value : seconds_a) value *= 1e-9;
  for (double& value : seconds_b) value *= 1e-9;
  EXPECT_NEAR(welch(seconds_a, seconds_b).p, nanoseconds.p, 1e-9);
}

TEST(Welch, WithoutVarianceTheIntervalIsTheRatio) {
  const std::vector<double> a(3, 1234567.0);
  const std::vector<double> b(3, 1234567.0 * 1.1);
  const Welch differs = welch(a, b);
  EXPECT_NEAR(differs.ratio, 1.1, 1e-12);
  EXPECT_EQ(differs.lower, differs.ratio);
  EXPECT_EQ(differs.upper, differs.ratio);
  EXPECT_EQ(differs.p, 0);
  const Welch equal = welch(a, a);
  EXPECT_EQ(equal.ratio, 1);
  EXPECT_EQ(equal.p, 1);
}

TEST(Welch, OneSideWithoutVarianceLeavesTheOthersDegrees) {
  EXPECT_NEAR(welch(std::vector<double>{5, 5, 5, 5, 5}, std::vector<double>{4, 5, 6}).degrees, 2,
              1e-12);
}

TEST(Welch, RefusesWhatHasNoLogarithmOrNoVariance) {
  const std::vector<double> fine{1, 2};
  EXPECT_THROW(welch(fine, std::vector<double>{1}), Error);
  EXPECT_THROW(welch(fine, std::vector<double>{1, 0}), Error);
  EXPECT_THROW(welch(fine, std::vector<double>{1, NAN}), Error);
  EXPECT_THROW(welch(fine, std::vector<double>{1, INFINITY}), Error);
}

}  // namespace
}  // namespace labreport
