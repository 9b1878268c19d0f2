// Tests the way from launches to verdicts: Welch's test, Holm's correction, and the detectable
// ratio.
#include "analysis/significance.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "analysis/verdict.h"
#include "base/distributions.h"
#include "base/error.h"

namespace labreport::significance_test {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Draws medians of launches from known distributions.
class LaunchSamples {
 public:
  explicit LaunchSamples(std::uint64_t seed) : random_(seed) {}

  /// Draws `count` medians around `center` whose logarithms have a normal distribution.
  std::vector<double> draw(std::size_t count, double center, double log_stddev) {
    std::normal_distribution<double> normal(0, log_stddev);
    std::vector<double> medians(count);
    for (double& median : medians) median = center * std::exp(normal(random_));
    return medians;
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  /// Makes rows of every size and noise, whose true ratios lie between 0.9 and 1.1.
  std::vector<RowSample> rows(std::size_t count) {
    std::vector<RowSample> rows;
    for (std::size_t row = 0; row < count; ++row) {
      const double center = uniform(1e5, 1e9);
      const auto launches = static_cast<std::size_t>(uniform(3, 9));
      const double ratio = uniform(0.9, 1.1);
      rows.push_back({draw(launches, center, uniform(0.001, 0.03)),
                      draw(launches, center * ratio, uniform(0.001, 0.03))});
    }
    return rows;
  }

  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

std::vector<double> exponentials(std::vector<double> values) {
  for (double& value : values) value = std::exp(value);
  return values;
}

// The expected numbers were worked out by hand: means 2 and 5, variances 1 and 4, so s² = 1/3 +
// 4/3, t = 3 / √(5/3), ν = (5/3)² / ((1/9 + 16/9) / 2).
TEST(Welch, MatchesACalculationByHand) {
  const WelchTest test = welch_test(exponentials({1, 2, 3}), exponentials({3, 5, 7}));
  EXPECT_NEAR(std::log(test.ratio), 3, 1e-12);
  EXPECT_NEAR(test.standard_error, std::sqrt(5.0 / 3), 1e-12);
  EXPECT_NEAR(test.degrees_of_freedom, 50.0 / 17, 1e-12);
  EXPECT_NEAR(test.p_value, 0.1042, 5e-4);
}

TEST(Welch, HasAnIntervalThatAgreesWithP) {
  LaunchSamples samples(7);
  for (int round = 0; round < 200; ++round) {
    const WelchTest test = welch_test(samples.draw(4, 100, 0.01), samples.draw(6, 101, 0.02));
    EXPECT_EQ(test.p_value < 0.05, test.lower > 1 || test.upper < 1);
    const auto [lower, upper] = test.interval(1 - test.p_value);
    EXPECT_NEAR(test.ratio > 1 ? lower : upper, 1, 1e-9);
  }
}

TEST(Welch, HasNoIntervalWidthWithoutVariance) {
  const std::vector<double> a(3, 1234567.0);
  const std::vector<double> b(3, 1234567.0 * 1.1);
  const WelchTest differs = welch_test(a, b);
  EXPECT_NEAR(differs.ratio, 1.1, 1e-12);
  EXPECT_EQ(differs.lower, differs.ratio);
  EXPECT_EQ(differs.upper, differs.ratio);
  EXPECT_EQ(differs.p_value, 0);
  const WelchTest equal = welch_test(a, a);
  EXPECT_EQ(equal.ratio, 1);
  EXPECT_EQ(equal.p_value, 1);
}

TEST(Welch, UsesTheDegreesOfTheSideThatVaries) {
  EXPECT_NEAR(welch_test(std::vector<double>{5, 5, 5, 5, 5}, std::vector<double>{4, 5, 6})
                  .degrees_of_freedom,
              2, 1e-12);
}

TEST(Welch, RefusesWhatHasNoLogarithmOrNoVariance) {
  const std::vector<double> valid{1, 2};
  EXPECT_THROW(welch_test(valid, std::vector<double>{1}), Error);
  EXPECT_THROW(welch_test(valid, std::vector<double>{1, 0}), Error);
  EXPECT_THROW(welch_test(valid, std::vector<double>{1, NAN}), Error);
  EXPECT_THROW(welch_test(valid, std::vector<double>{1, INFINITY}), Error);
}

TEST(Holm, MatchesACalculationByHand) {
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.01, 0.04, 0.03}),
              ElementsAre(DoubleEq(0.03), DoubleEq(0.06), DoubleEq(0.06)));
}

TEST(Holm, StopsAtOne) {
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.6, 0.9}), ElementsAre(1.0, 1.0));
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.6}), ElementsAre(0.6));
  EXPECT_THAT(holm_adjusted({}), IsEmpty());
}

TEST(Holm, AdjustsTiesEqually) {
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.02, 0.01, 0.02}),
              ElementsAre(DoubleEq(0.04), DoubleEq(0.03), DoubleEq(0.04)));
}

constexpr double kLevel = 0.05 / 6;  // Holm's first level for six tests at 0.05.

TEST(Detectable, EqualsTheSmallestEffectWithoutNoise) {
  const std::vector<double> quiet(3, 10.0);
  EXPECT_DOUBLE_EQ(detectable_ratio(welch_test(quiet, quiet), kLevel, 0.01), 1.01);
}

TEST(Detectable, GrowsWithNoiseAndFallsWithLaunches) {
  const std::vector<double> three{99, 100, 101};
  const std::vector<double> noisy{90, 100, 110};
  const std::vector<double> nine{99, 100, 101, 99, 100, 101, 99, 100, 101};
  const double usual = detectable_ratio(welch_test(three, three), kLevel, 0.001);
  EXPECT_GT(detectable_ratio(welch_test(noisy, noisy), kLevel, 0.001), usual);
  EXPECT_LT(detectable_ratio(welch_test(nine, nine), kLevel, 0.001), usual);
  EXPECT_GT(detectable_ratio(welch_test(three, three), kLevel / 10, 0.001), usual);
}

TEST(Detectable, ExceedsTheSmallestEffectWithNoise) {
  const std::vector<double> quiet{100, 100.001, 99.999};
  EXPECT_GT(detectable_ratio(welch_test(quiet, quiet), kLevel, 0.01), 1.01);
}

TEST(Detectable, IsFoundInNineOfTenCases) {
  constexpr std::size_t kLaunches = 5;
  constexpr double kNoise = 0.01;
  constexpr int kRounds = 4000;
  LaunchSamples samples(3);
  WelchTest typical;
  typical.standard_error = kNoise * std::sqrt(2.0 / kLaunches);
  std::vector<WelchTest> tests;  // The true ratio is 1 in all of them.
  for (int round = 0; round < kRounds; ++round) {
    tests.push_back(
        welch_test(samples.draw(kLaunches, 1, kNoise), samples.draw(kLaunches, 1, kNoise)));
    typical.degrees_of_freedom += tests.back().degrees_of_freedom / kRounds;
  }
  const double ratio = detectable_ratio(typical, kLevel, 0.001);
  int found_count = 0;
  for (const WelchTest& test : tests) {
    const double critical = student_quantile(1 - kLevel / 2, test.degrees_of_freedom);
    found_count += std::log(test.ratio * ratio) > critical * test.standard_error ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(found_count) / kRounds, kPower, 0.02);
}

Judgment judge_one(const RowSample& row) { return judge_rows(std::vector{row}).front(); }

Verdict opposite(Verdict verdict) {
  if (verdict == Verdict::kFaster) return Verdict::kSlower;
  return verdict == Verdict::kSlower ? Verdict::kFaster : verdict;
}

TEST(Verdict, CallsSmallerTimesFaster) {
  EXPECT_EQ(judge_one({{100, 101, 99}, {50, 51, 49}}).verdict, Verdict::kFaster);
  EXPECT_EQ(judge_one({{50, 51, 49}, {100, 101, 99}}).verdict, Verdict::kSlower);
}

TEST(Verdict, CallsNoisyLaunchesUnclear) {
  const Judgment judgment = judge_one({{90, 100, 110}, {95, 104, 118}});
  EXPECT_EQ(judgment.verdict, Verdict::kUnclear);
  EXPECT_THAT(judgment.reason, HasSubstr("vary too much"));
  EXPECT_GT(*judgment.detectable_ratio, 1.2);
}

TEST(Verdict, NeedsEvidenceForSame) {
  EXPECT_EQ(judge_one({{100, 100.1, 99.9}, {100.05, 100.15, 99.95}}).verdict, Verdict::kSame);
  EXPECT_EQ(judge_one({{100, 102, 98}, {100.1, 102.1, 98.1}}).verdict, Verdict::kUnclear)
      << "means agree, but 3 % apart would look the same";
}

TEST(Verdict, CallsATinySignificantDifferenceSame) {
  const Judgment judgment = judge_one({{100, 100.01, 99.99}, {100.5, 100.51, 100.49}});
  EXPECT_LT(*judgment.adjusted_p, 0.001);
  EXPECT_EQ(judgment.verdict, Verdict::kSame);
  EXPECT_THAT(judgment.reason, HasSubstr("less than the smallest effect"));
}

TEST(Verdict, AcceptsExactlyTheSmallestEffect) {
  EXPECT_EQ(judge_one({{100, 100, 100}, {101, 101, 101}}).verdict, Verdict::kSlower);
  EXPECT_EQ(judge_one({{101, 101, 101}, {100, 100, 100}}).verdict, Verdict::kFaster);
}

TEST(Verdict, IsUnclearIfDisturbedOrWithTooFewLaunches) {
  const Judgment hot = judge_one({{100, 101, 99}, {200, 202, 198}, "thermal slowdown"});
  EXPECT_EQ(hot.verdict, Verdict::kUnclear);
  EXPECT_EQ(hot.reason, "thermal slowdown");
  EXPECT_NEAR(*hot.ratio, 2, 1e-9);
  EXPECT_FALSE(hot.adjusted_p);
  const Judgment few = judge_one({{100, 101}, {200, 202, 198}});
  EXPECT_EQ(few.verdict, Verdict::kUnclear);
  EXPECT_EQ(few.reason, "fewer than three launches a side");
  EXPECT_TRUE(few.test);
  EXPECT_FALSE(judge_one({{100}, {200, 202, 198}}).test);
  EXPECT_FALSE(judge_one({{}, {200, 202, 198}}).ratio);
}

TEST(Verdict, IgnoresRowsThatCannotBeJudged) {
  const RowSample row{{100, 101, 99}, {103, 104, 102}};
  const std::vector rows{row, RowSample{{1, 2, 3}, {2, 3, 4}, "shared GPU"}, RowSample{{1}, {2}}};
  EXPECT_EQ(judge_rows(rows).front().adjusted_p, judge_one(row).adjusted_p);
}

// A measurement compared with itself is the same, however noisy, short or disturbed.
TEST(Verdict, CallsEqualMeasurementsSame) {
  LaunchSamples samples(4);
  std::vector<RowSample> rows = samples.rows(50);
  for (RowSample& row : rows) row.b = row.a;
  rows.push_back({{100}, {100}});
  rows.push_back({{100, 200, 300}, {300, 100, 200}, "thermal slowdown"});
  for (const Judgment& judgment : judge_rows(rows)) {
    EXPECT_EQ(judgment.verdict, Verdict::kSame);
    EXPECT_EQ(judgment.reason, "the same measurements on both sides");
    EXPECT_NEAR(*judgment.ratio, 1, 1e-12);
  }
}

TEST(Verdict, IsInvertedBySwappingTheSides) {
  LaunchSamples samples(5);
  const std::vector<RowSample> rows = samples.rows(300);
  std::vector<RowSample> swapped = rows;
  for (RowSample& row : swapped) std::swap(row.a, row.b);
  const std::vector<Judgment> judgments = judge_rows(rows);
  const std::vector<Judgment> swapped_judgments = judge_rows(swapped);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(judgments[i].verdict, opposite(swapped_judgments[i].verdict));
    EXPECT_NEAR(*judgments[i].ratio * *swapped_judgments[i].ratio, 1, 1e-12);
    EXPECT_EQ(judgments[i].adjusted_p, swapped_judgments[i].adjusted_p);
    EXPECT_EQ(judgments[i].reason, swapped_judgments[i].reason);
  }
}

TEST(Verdict, IgnoresTheOrderOfRowsAndLaunches) {
  LaunchSamples samples(6);
  const std::vector<RowSample> rows = samples.rows(100);
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), samples.random());
  std::vector<RowSample> shuffled;
  for (const std::size_t row : order) shuffled.push_back(rows[row]);
  for (RowSample& row : shuffled) std::reverse(row.a.begin(), row.a.end());
  const std::vector<Judgment> judgments = judge_rows(rows);
  const std::vector<Judgment> shuffled_judgments = judge_rows(shuffled);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(shuffled_judgments[i].verdict, judgments[order[i]].verdict);
    EXPECT_NEAR(*shuffled_judgments[i].adjusted_p, *judgments[order[i]].adjusted_p, 1e-9);
  }
}

// Makes comparisons of six rows whose sides are truly equal, and expects that at most 5 of 100 call
// any row faster or slower. If one side varies more than twice as much as the other, Welch's t does
// not promise this (docs/comparing.md).
void expect_few_false_verdicts(std::size_t launches, double noise_a, double noise_b) {
  SCOPED_TRACE(std::to_string(launches) + " launches");
  LaunchSamples samples(11);
  constexpr int kRounds = 3000;
  // If exactly 5 % of comparisons were wrong, more than this number would be in 2.2 % of all tests.
  constexpr int kMaxWrong = 174;
  int wrong_count = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<RowSample> rows;
    for (int row = 0; row < 6; ++row) {
      rows.push_back({samples.draw(launches, 1e6, noise_a), samples.draw(launches, 1e6, noise_b)});
    }
    const std::vector<Judgment> judgments = judge_rows(rows);
    wrong_count += std::ranges::any_of(judgments, [](const Judgment& judgment) {
      return judgment.verdict == Verdict::kFaster || judgment.verdict == Verdict::kSlower;
    });
  }
  EXPECT_LE(wrong_count, kMaxWrong) << "of " << kRounds;
}

TEST(FalseVerdicts, AreAtMostFivePercentOfComparisons) {
  expect_few_false_verdicts(5, 0.02, 0.02);
  expect_few_false_verdicts(5, 0.02, 0.04);
  expect_few_false_verdicts(3, 0.05, 0.05);
  expect_few_false_verdicts(3, 0.05, 0.1);
  expect_few_false_verdicts(10, 0.1, 0.1);
  expect_few_false_verdicts(10, 0.05, 0.1);
}

}  // namespace
}  // namespace labreport::significance_test
