#include "analysis/noise.h"

#include <gmock/gmock.h>

#include <numeric>

#include "analysis/launch_samples.h"
#include "base/error.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Six cells of 40 launches.
std::vector<std::vector<double>> launches(std::uint64_t seed, double log_stddev) {
  LaunchSamples samples(seed);
  std::vector<std::vector<double>> cells;
  for (int cell = 0; cell < 6; ++cell) {
    cells.push_back(samples.draw(40, samples.uniform(1e5, 1e9), log_stddev));
  }
  return cells;
}

TEST(Noise, NormalLaunchesAreRarelySaidToDifferFromThemselves) {
  for (const double log_stddev : {0.002, 0.01, 0.05}) {
    const Noise noise = measure_noise(launches(1, log_stddev), {});
    EXPECT_LE(noise.any.lower, 0.05);
    EXPECT_LE(noise.rows.value, noise.any.value);
    for (const CellNoise& cell : noise.cells) EXPECT_NEAR(cell.log_stddev / log_stddev, 1, 0.4);
  }
}

// Splits of two heaps: what differs then is found, and the rate tells.
TEST(Noise, CountsVerdictsThatAreThere) {
  std::vector<std::vector<double>> cells(1);
  for (int launch = 0; launch < 6; ++launch) cells[0].push_back(launch < 3 ? 100 : 200);
  NoiseOptions options;
  options.per_side = 3;
  const Noise noise = measure_noise(cells, options);
  EXPECT_NEAR(noise.any.value, 0.1, 0.04) << "2 of the 20 splits have a heap a side";
  EXPECT_EQ(noise.any.value, noise.cells[0].false_verdicts.value);
}

/// How often `judge` finds cell 0 to be `verdict` when its second side is `factor` times as long.
double found(const std::vector<std::vector<double>>& cells, double factor, Verdict verdict) {
  std::mt19937_64 random(99);
  constexpr int kSplits = 400;
  int count = 0;
  for (int split = 0; split < kSplits; ++split) {
    std::vector<std::size_t> order(40);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    std::vector<RowSample> rows(cells.size());
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      for (std::size_t i = 0; i < 5; ++i) {
        rows[cell].a.push_back(cells[cell][order[i]]);
        rows[cell].b.push_back(cells[cell][order[i + 5]] * (cell == 0 ? factor : 1));
      }
    }
    count += judge(rows).front().verdict == verdict ? 1 : 0;
  }
  return static_cast<double>(count) / kSplits;
}

// The search is done in closed form; the verdicts themselves, of other splits, agree.
TEST(Noise, TheChangeFoundIsTheOneThatVerdictsFindInNineOfTenSplits) {
  const auto cells = launches(2, 0.01);
  const Noise noise = measure_noise(cells, {});
  EXPECT_NEAR(found(cells, noise.cells[0].slower, Verdict::kSlower), 0.9, 0.05);
  EXPECT_NEAR(found(cells, noise.cells[0].faster, Verdict::kFaster), 0.9, 0.05);
  EXPECT_GE(noise.slower, noise.cells[0].slower);
  EXPECT_LE(noise.faster, noise.cells[0].faster);
}

TEST(Noise, WithoutNoiseTheSmallestEffectIsFound) {
  const Noise noise =
      measure_noise(std::vector<std::vector<double>>{std::vector<double>(10, 5.0)}, {});
  EXPECT_NEAR(noise.slower, 1.01, 1e-9);
  EXPECT_NEAR(noise.faster, 1 / 1.01, 1e-9);
  EXPECT_EQ(noise.any.value, 0);
}

TEST(Noise, TheSeedDecides) {
  const auto cells = launches(3, 0.01);
  NoiseOptions other;
  other.seed = 2;
  EXPECT_EQ(measure_noise(cells, {}).slower, measure_noise(cells, {}).slower);
  EXPECT_NE(measure_noise(cells, {}).slower, measure_noise(cells, other).slower);
}

TEST(Noise, TooFewLaunchesAreRefused) {
  const std::vector<std::vector<double>> cells{std::vector<double>(40, 1.0),
                                               std::vector<double>(9, 1.0)};
  EXPECT_THAT([&] { measure_noise(cells, {}); },
              ThrowsMessage<InputError>(HasSubstr("--launches 10 or more")));
}

}  // namespace
}  // namespace labreport
