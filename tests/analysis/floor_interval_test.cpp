// Single launches are as uncertain as their runs' noise floors say.
#include "analysis/noise_floor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/compared_runs.h"
#include "analysis/comparison.h"
#include "base/distributions.h"

namespace labreport {
namespace {

using namespace testing_samples;

constexpr NoiseFloor kOnePercent{.log_stddev = 0.01, .degrees = 20, .cells = 10};

labreport::Run single(double factor, std::optional<NoiseFloor> floor) {
  labreport::Run run = three_launches(factor);
  for (Cell& cell : run.cells) cell.launches.resize(1);
  run.noise_floor = floor;
  return run;
}

TEST(FloorInterval, IsStudentsWithTheScatterOfBothSides) {
  const auto interval = floor_interval(1.1, 1, 1, {.a = kOnePercent, .b = kOnePercent});
  const double reach = student_quantile(0.975, 40) * 0.01 * std::sqrt(2.0);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->first, 1.1 * std::exp(-reach), 1e-12);
  EXPECT_NEAR(interval->second, 1.1 * std::exp(reach), 1e-12);
}

TEST(FloorInterval, OneFloorServesBothSidesOfOneMachineWithItsOwnDegrees) {
  const auto interval = floor_interval(1, 1, 4, {.a = kOnePercent, .one_machine = true});
  const double reach = student_quantile(0.975, 20) * 0.01 * std::sqrt(1.25);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->second, std::exp(reach), 1e-12);
  EXPECT_FALSE(floor_interval(1, 1, 4, {.a = kOnePercent}));
  EXPECT_FALSE(floor_interval(1, 1, 1, {.one_machine = true}));
}

TEST(FloorInterval, StandsInRowsOfOneLaunchAndGivesNoVerdict) {
  const Comparison comparison = compare_runs(single(1, kOnePercent), single(1.1, std::nullopt));
  const ComparedRow& row = comparison.rows.front();
  EXPECT_TRUE(row.interval_by_floor);
  ASSERT_TRUE(row.interval);
  EXPECT_GT(row.interval->first, 1.05);
  EXPECT_EQ(row.judged->verdict, Verdict::kUnclear);
  EXPECT_FALSE(comparison.can_judge());
}

TEST(FloorInterval, OwnLaunchesAndRunsWithoutAFloorDoNotUseIt) {
  labreport::Run many = three_launches();
  many.noise_floor = kOnePercent;
  EXPECT_FALSE(compare_runs(many, many).rows.front().interval_by_floor);
  EXPECT_FALSE(compare_runs(single(1, {}), single(1.1, {})).rows.front().interval);
}

TEST(FloorInterval, IsOfWholeWarmStepsAlone) {
  CellSpec spec = network(Mode::kTrainStep);
  EXPECT_TRUE(has_floor(spec, Measure::kStep));
  EXPECT_FALSE(has_floor(spec, Measure::kBackward));
  spec.steps = 1;
  EXPECT_FALSE(has_floor(spec, Measure::kStep));
}

}  // namespace
}  // namespace labreport
