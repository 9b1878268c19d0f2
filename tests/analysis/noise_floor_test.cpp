#include "analysis/noise_floor.h"

#include <gtest/gtest.h>

#include <cmath>

namespace labreport {
namespace {

/// A cell whose launches have these medians, e to the power of each.
void add_cell(Run& run, const std::vector<double>& logs, std::int64_t steps = 2) {
  CellSpec spec;
  spec.context = static_cast<std::int64_t>(run.cells.size()) + 1;
  spec.warmup = 0;
  spec.steps = steps;
  for (const double log : logs) {
    const auto ns = static_cast<std::int64_t>(std::lround(std::exp(log)));
    run.find_or_add(spec).launches.emplace_back().metrics = {
        sample_metric("step", "total", "ns", std::vector(static_cast<std::size_t>(steps), ns))};
  }
}

// Squares about the cells' own means: 2 · 0.01 and 0.02, over 2 + 1 degrees.
TEST(NoiseFloor, PoolsSquaresAboutEachCellsMean) {
  labreport::Run run;
  add_cell(run, {19.9, 20, 20.1});
  add_cell(run, {17, 17.2});
  const auto floor = noise_floor(run);
  ASSERT_TRUE(floor);
  EXPECT_NEAR(floor->log_stddev, std::sqrt(0.04 / 3), 1e-6);
  EXPECT_EQ(floor->degrees, 3);
  EXPECT_EQ(floor->cells, 2);
}

TEST(NoiseFloor, EqualLaunchesHaveNone) {
  labreport::Run run;
  add_cell(run, {20, 20, 20, 20, 20, 20, 20});
  EXPECT_EQ(noise_floor(run)->log_stddev, 0);
}

TEST(NoiseFloor, NeedsTwoLaunchesOfACell) {
  labreport::Run run;
  EXPECT_FALSE(noise_floor(run));
  add_cell(run, {20});
  add_cell(run, {17});
  EXPECT_FALSE(noise_floor(run));
}

TEST(NoiseFloor, LeavesOutCellsOfASingleColdStep) {
  labreport::Run run;
  add_cell(run, {20, 21, 22}, 1);
  EXPECT_FALSE(noise_floor(run));
}

}  // namespace
}  // namespace labreport
