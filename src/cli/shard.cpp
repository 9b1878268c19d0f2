#include "cli/shard.h"

#include <algorithm>
#include <utility>

#include "cli/plan_table.h"
#include "cli/recorded_plan.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

DeviceChoice h100(Preset preset) {
  Gpu gpu;
  gpu.memory_bytes = 80LL << 30;
  gpu.arithmetic_cores = 16896;
  gpu.max_sm_clock_mhz = 1980;
  return {DeviceKind::kCuda, preset, {gpu}, "", ""};
}

}  // namespace

Shards shards_of(const PlanInput& input, std::int64_t tasks) {
  const DeviceChoice device = h100(input.preset);
  std::vector<std::pair<CellSpec, double>> cells;
  for (const PlannedCell& cell : foreseen_plan(input, checked_plan(input, Run()), device)) {
    cells.emplace_back(cell.spec, totals({cell}, device).seconds);
  }
  return {cells, tasks};
}

std::optional<fs::path> run_of_shard(const fs::path& root, const Request& request) {
  std::vector<fs::path> folders = list_runs(root);
  const auto newest = std::find_if(folders.rbegin(), folders.rend(), [&](const fs::path& folder) {
    return matches_request(folder, request);
  });
  return newest == folders.rend() ? std::nullopt : std::optional(*newest);
}

}  // namespace labreport
