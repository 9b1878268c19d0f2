#include "analysis/verdict.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "analysis/launch_samples.h"

namespace labreport {
namespace {

using testing::HasSubstr;

Judged judge_one(const RowSample& row) { return judge(std::vector{row}).front(); }

Verdict opposite(Verdict verdict) {
  if (verdict == Verdict::kFaster) return Verdict::kSlower;
  return verdict == Verdict::kSlower ? Verdict::kFaster : verdict;
}

TEST(Verdict, SmallerTimesAreFaster) {
  EXPECT_EQ(judge_one({{100, 101, 99}, {50, 51, 49}}).verdict, Verdict::kFaster);
  EXPECT_EQ(judge_one({{50, 51, 49}, {100, 101, 99}}).verdict, Verdict::kSlower);
}

TEST(Verdict, NoisyLaunchesAreUnclearAndSayWhichChangeTheyWouldHaveShown) {
  const Judged judged = judge_one({{90, 100, 110}, {95, 104, 118}});
  EXPECT_EQ(judged.verdict, Verdict::kUnclear);
  EXPECT_THAT(judged.reason, HasSubstr("vary too much"));
  EXPECT_GT(*judged.detectable, 1.2);
}

TEST(Verdict, SameIsShownAndNotMerelyUnrefuted) {
  EXPECT_EQ(judge_one({{100, 100.1, 99.9}, {100.05, 100.15, 99.95}}).verdict, Verdict::kSame);
  EXPECT_EQ(judge_one({{100, 102, 98}, {100.1, 102.1, 98.1}}).verdict, Verdict::kUnclear)
      << "means agree, but 3 % apart would look the same";
}

TEST(Verdict, ASignificantTrifleIsTheSame) {
  const Judged judged = judge_one({{100, 100.01, 99.99}, {100.5, 100.51, 100.49}});
  EXPECT_LT(*judged.adjusted_p, 0.001);
  EXPECT_EQ(judged.verdict, Verdict::kSame);
  EXPECT_THAT(judged.reason, HasSubstr("less than the smallest effect"));
}

TEST(Verdict, AnEffectOfExactlyTheSmallestSizeCounts) {
  EXPECT_EQ(judge_one({{100, 100, 100}, {101, 101, 101}}).verdict, Verdict::kSlower);
  EXPECT_EQ(judge_one({{101, 101, 101}, {100, 100, 100}}).verdict, Verdict::kFaster);
}

TEST(Verdict, ReasonsAndTooFewLaunchesAreUnclearButKeepTheirRatio) {
  const Judged hot = judge_one({{100, 101, 99}, {200, 202, 198}, "thermal slowdown"});
  EXPECT_EQ(hot.verdict, Verdict::kUnclear);
  EXPECT_EQ(hot.reason, "thermal slowdown");
  EXPECT_NEAR(*hot.ratio, 2, 1e-9);
  EXPECT_FALSE(hot.adjusted_p);
  const Judged few = judge_one({{100, 101}, {200, 202, 198}});
  EXPECT_EQ(few.verdict, Verdict::kUnclear);
  EXPECT_EQ(few.reason, "fewer than three launches a side");
  EXPECT_TRUE(few.test);
  EXPECT_FALSE(judge_one({{100}, {200, 202, 198}}).test);
  EXPECT_FALSE(judge_one({{}, {200, 202, 198}}).ratio);
}

TEST(Verdict, WhatCannotBeJudgedDoesNotMakeOtherRowsStricter) {
  const RowSample row{{100, 101, 99}, {103, 104, 102}};
  const std::vector rows{row, RowSample{{1, 2, 3}, {2, 3, 4}, "shared GPU"}, RowSample{{1}, {2}}};
  EXPECT_EQ(judge(rows).front().adjusted_p, judge_one(row).adjusted_p);
}

// A measurement beside itself, however noisy, short or disturbed.
TEST(Verdict, AAgainstAIsTheSame) {
  LaunchSamples samples(4);
  std::vector<RowSample> rows = samples.rows(50);
  for (RowSample& row : rows) row.b = row.a;
  rows.push_back({{100}, {100}});
  rows.push_back({{100, 200, 300}, {300, 100, 200}, "thermal slowdown"});
  for (const Judged& judged : judge(rows)) {
    EXPECT_EQ(judged.verdict, Verdict::kSame);
    EXPECT_EQ(judged.reason, "the same measurements on both sides");
    EXPECT_NEAR(*judged.ratio, 1, 1e-12);
  }
}

TEST(Verdict, SwappingInvertsRatiosAndVerdicts) {
  LaunchSamples samples(5);
  const std::vector<RowSample> rows = samples.rows(300);
  std::vector<RowSample> swapped = rows;
  for (RowSample& row : swapped) std::swap(row.a, row.b);
  const std::vector<Judged> there = judge(rows);
  const std::vector<Judged> back = judge(swapped);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(there[i].verdict, opposite(back[i].verdict));
    EXPECT_NEAR(*there[i].ratio * *back[i].ratio, 1, 1e-12);
    EXPECT_EQ(there[i].adjusted_p, back[i].adjusted_p);
    EXPECT_EQ(there[i].reason, back[i].reason);
  }
}

TEST(Verdict, OrderOfRowsAndOfLaunchesDoesNotMatter) {
  LaunchSamples samples(6);
  const std::vector<RowSample> rows = samples.rows(100);
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), samples.random());
  std::vector<RowSample> shuffled;
  for (const std::size_t row : order) shuffled.push_back(rows[row]);
  for (RowSample& row : shuffled) std::reverse(row.a.begin(), row.a.end());
  const std::vector<Judged> there = judge(rows);
  const std::vector<Judged> other = judge(shuffled);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(other[i].verdict, there[order[i]].verdict);
    EXPECT_NEAR(*other[i].adjusted_p, *there[order[i]].adjusted_p, 1e-9);
  }
}

struct Noise {
  std::size_t launches;
  double a;
  double b;
};

void PrintTo(const Noise& noise, std::ostream* out) {
  *out << noise.launches << " launches, " << noise.a << " and " << noise.b;
}

class FalseVerdicts : public testing::TestWithParam<Noise> {};

// Six rows of two equal sides: some row is said to differ in at most 5 of 100 comparisons. Beyond a
// factor of two between the sides' deviations Welch's t promises less: see docs/comparing.md.
TEST_P(FalseVerdicts, AreAtMostFivePercentOfComparisons) {
  const auto [launches, noise_a, noise_b] = GetParam();
  LaunchSamples samples(11);
  constexpr int kRounds = 3000;
  constexpr int kMost = 174;  // Five percent of them exceed it in 2.2 % of all tries.
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<RowSample> rows;
    for (int row = 0; row < 6; ++row) {
      rows.push_back({samples.draw(launches, 1e6, noise_a), samples.draw(launches, 1e6, noise_b)});
    }
    const std::vector<Judged> judged = judge(rows);
    wrong += std::any_of(judged.begin(), judged.end(), [](const Judged& row) {
      return row.verdict == Verdict::kFaster || row.verdict == Verdict::kSlower;
    });
  }
  EXPECT_LE(wrong, kMost) << "of " << kRounds;
}

INSTANTIATE_TEST_SUITE_P(KnownDistributions, FalseVerdicts,
                         testing::Values(Noise{5, 0.02, 0.02}, Noise{5, 0.02, 0.04},
                                         Noise{3, 0.05, 0.05}, Noise{3, 0.05, 0.1},
                                         Noise{10, 0.1, 0.1}, Noise{10, 0.05, 0.1}));

}  // namespace
}  // namespace labreport
