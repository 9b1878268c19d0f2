// Compares a plan's estimates with the launches of every run that ships with the project.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/plan_table.h"
#include "results/shipped_runs.h"

namespace labreport::estimates_test {
namespace {

constexpr std::int64_t kArithmeticCoresPerMultiprocessor = 128;  // compute capability 9.0

/// Returns the number of ranks in the largest group that the run launched; 1 without ranks.
std::size_t gpus_used(const Run& run) {
  std::int64_t max_ranks = 1;
  for (const Cell& cell : run.cells) {
    const bool ran =
        std::ranges::any_of(cell.launches, [](const Launch& launch) { return launch.wall_ns > 0; });
    if (ran && cell.spec.ranks) max_ranks = std::max(max_ranks, cell.spec.ranks->count);
  }
  return static_cast<std::size_t>(max_ranks);
}

DeviceChoice device_choice(const Run& run) {
  const Device& device = run.devices.front();
  Gpu gpu;
  gpu.name = device.name;
  gpu.memory_bytes = device.memory_bytes;
  gpu.arithmetic_cores = kArithmeticCoresPerMultiprocessor * device.multiprocessors;
  gpu.max_sm_clock_mhz = device.max_sm_clock_mhz;
  return {DeviceKind::kCuda, Preset::kFull, std::vector(gpus_used(run), gpu), "", ""};
}

TEST(Estimates, AreWithinAFifthOfRecordedTimes) {
  const std::vector<labreport::Run> runs = testing_shipped::measured_runs();
  if (runs.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
  for (const labreport::Run& run : runs) {
    std::vector<PlannedCell> plan;
    double measured_seconds = 0;
    for (const Cell& cell : run.cells) {
      plan.push_back({cell.spec, static_cast<std::int64_t>(cell.launches.size())});
      for (const Launch& launch : cell.launches)
        measured_seconds += 1e-9 * static_cast<double>(launch.wall_ns);
    }
    const double estimated_seconds = totals(plan, device_choice(run)).seconds;
    EXPECT_NEAR(estimated_seconds / measured_seconds, 1, 0.2)
        << estimated_seconds << " s estimated, " << measured_seconds
        << " s measured: the run that started at " << run.sessions.front().started_at;
  }
}

}  // namespace
}  // namespace labreport::estimates_test
