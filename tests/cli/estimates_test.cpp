// Compares a plan's estimates with the launches of every recorded run.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/plan_table.h"
#include "results/run_store.h"

namespace labreport::estimates_test {
namespace {

constexpr std::int64_t kArithmeticCoresPerMultiprocessor = 128;  // compute capability 9.0

std::vector<Run> measured_runs() {
  std::vector<Run> runs;
  for (const auto& folder : list_runs(LABREPORT_SOURCE_DIR "/site/runs")) {
    Run run = RunStore(folder).load();
    if (run.source == "measured") runs.push_back(std::move(run));
  }
  return runs;
}

/// The ranks of the run's largest group that ran.
std::size_t gpus_used(const Run& run) {
  std::int64_t most = 1;
  for (const Cell& cell : run.cells) {
    const bool ran =
        std::ranges::any_of(cell.launches, [](const Launch& launch) { return launch.wall_ns > 0; });
    if (ran && cell.spec.ranks) most = std::max(most, cell.spec.ranks->count);
  }
  return static_cast<std::size_t>(most);
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

TEST(Estimates, AreWithinAFifthOfWhatEachRecordedRunTook) {
  const std::vector<labreport::Run> runs = measured_runs();
  ASSERT_GE(runs.size(), 15u);
  for (const labreport::Run& run : runs) {
    std::vector<PlannedCell> plan;
    double took = 0;
    for (const Cell& cell : run.cells) {
      plan.push_back({cell.spec, static_cast<std::int64_t>(cell.launches.size())});
      for (const Launch& launch : cell.launches) took += 1e-9 * static_cast<double>(launch.wall_ns);
    }
    const double estimate = totals(plan, device_choice(run)).seconds;
    EXPECT_NEAR(estimate / took, 1, 0.2)
        << estimate << " s estimated, " << took << " s measured: the run that started at "
        << run.sessions.front().started_at;
  }
}

}  // namespace
}  // namespace labreport::estimates_test
