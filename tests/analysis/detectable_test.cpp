#include "analysis/significance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analysis/launch_samples.h"
#include "base/distributions.h"

namespace labreport {
namespace {

constexpr double kLevel = 0.05 / 6;

TEST(Detectable, WithoutNoiseIsTheSmallestEffect) {
  const std::vector<double> quiet(3, 10.0);
  EXPECT_DOUBLE_EQ(detectable_ratio(welch(quiet, quiet), kLevel, 0.01), 1.01);
}

TEST(Detectable, GrowsWithNoiseAndFallsWithLaunches) {
  const std::vector<double> few{99, 100, 101};
  const std::vector<double> wide{90, 100, 110};
  const std::vector<double> many{99, 100, 101, 99, 100, 101, 99, 100, 101};
  const double usual = detectable_ratio(welch(few, few), kLevel, 0.001);
  EXPECT_GT(detectable_ratio(welch(wide, wide), kLevel, 0.001), usual);
  EXPECT_LT(detectable_ratio(welch(many, many), kLevel, 0.001), usual);
  EXPECT_GT(detectable_ratio(welch(few, few), kLevel / 10, 0.001), usual);
}

TEST(Detectable, NeverPromisesWhatIsSmallerThanTheSmallestEffect) {
  const std::vector<double> quiet{100, 100.001, 99.999};
  EXPECT_GT(detectable_ratio(welch(quiet, quiet), kLevel, 0.01), 1.01);
}

// Launches that vary as much as these do find that change in nine of ten comparisons.
TEST(Detectable, IsFoundInNineOfTenCases) {
  constexpr std::size_t kLaunches = 5;
  constexpr double kNoise = 0.01;
  constexpr int kRounds = 4000;
  LaunchSamples samples(3);
  Welch typical;
  typical.standard_error = kNoise * std::sqrt(2.0 / kLaunches);
  std::vector<Welch> tests;  // of equal sides
  for (int round = 0; round < kRounds; ++round) {
    tests.push_back(welch(samples.draw(kLaunches, 1, kNoise), samples.draw(kLaunches, 1, kNoise)));
    typical.degrees += tests.back().degrees / kRounds;
  }
  const double ratio = detectable_ratio(typical, kLevel, 0.001);
  int found = 0;
  for (const Welch& test : tests) {
    const double critical = student_quantile(1 - kLevel / 2, test.degrees);
    found += std::log(test.ratio * ratio) > critical * test.standard_error ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(found) / kRounds, kPower, 0.02);
}

}  // namespace
}  // namespace labreport
