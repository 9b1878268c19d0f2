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

/// Returns the device on which the run was measured.
DeviceChoice device_choice(const Run& run) {
  const Device& device = run.devices.front();
  if (device.kind == DeviceKind::kCpu) {
    DeviceChoice cpu;
    cpu.cpu_cores = static_cast<std::size_t>(run.sessions.front().cores);
    return cpu;
  }
  Gpu gpu;
  gpu.name = device.name;
  gpu.memory_bytes = device.memory_bytes;
  gpu.arithmetic_cores = kArithmeticCoresPerMultiprocessor * device.multiprocessors;
  gpu.max_sm_clock_mhz = device.max_sm_clock_mhz;
  return {DeviceKind::kCuda, Preset::kFull, std::vector(gpus_used(run), gpu), "", ""};
}

/// Returns the estimated time of the run's launches ÷ their measured time.
double estimated_over_measured(const Run& run) {
  std::vector<PlannedCell> plan;
  double measured_seconds = 0;
  for (const Cell& cell : run.cells) {
    plan.push_back({cell.spec, static_cast<std::int64_t>(cell.launches.size())});
    for (const Launch& launch : cell.launches)
      measured_seconds += 1e-9 * static_cast<double>(launch.wall_ns);
  }
  return totals(plan, device_choice(run)).seconds / measured_seconds;
}

TEST(Estimates, AreWithinAFifthOfRecordedTimes) {
  const std::vector<labreport::Run> runs = testing_shipped::measured_runs();
  if (runs.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
  for (const labreport::Run& run : runs) {
    EXPECT_NEAR(estimated_over_measured(run), 1, 0.2)
        << "the run that started at " << run.sessions.front().started_at;
  }
}

TEST(Estimates, TellTheOrderOfADemonstrationsTime) {
  // Cores of one clock differ by this factor, and no run tells what else ran on its cores.
  constexpr double kCpuFactor = 3;
  const auto folders = list_measured_runs(LABREPORT_SOURCE_DIR "/tests/fixtures/runs");
  ASSERT_FALSE(folders.empty());
  for (const auto& folder : folders) {
    const double ratio = estimated_over_measured(RunStore(folder).load());
    EXPECT_GT(ratio, 1 / kCpuFactor) << folder;
    EXPECT_LT(ratio, kCpuFactor) << folder;
  }
}

}  // namespace
}  // namespace labreport::estimates_test
