#include "experiments/problems.h"

#include "experiments/common/selection.h"

namespace labreport::distributed_communication_single_node {
namespace {

constexpr std::int64_t kWarmupCalls = 5;
constexpr std::int64_t kTimedCalls = 20;

/// Returns the bytes of the sweep's largest all-reduce. The full sweep ends at 1 GiB over NCCL.
/// Over Gloo, which takes seconds for it, the sweep ends at the handout's 1 GB.
std::int64_t largest_bytes(const PlanInput& input, Collectives collectives) {
  if (input.preset == Preset::kDemo) return 10'000'000;
  if (input.preset == Preset::kQuick) return 100'000'000;
  return collectives == Collectives::kGloo ? 1'000'000'000 : 1 << 30;
}

}  // namespace

CellSpec all_reduce_cell(const PlanInput& input, DeviceKind device, Ranks ranks) {
  CellSpec spec = bare_cell(device, CellKind::kAllReduce);
  spec.ranks = ranks;
  spec.largest_bytes = largest_bytes(input, ranks.collectives);
  spec.warmup = input.selection.warmup.value_or(kWarmupCalls);
  spec.steps = input.selection.steps.value_or(kTimedCalls);
  return spec;
}

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  const bool gpus = input.device == DeviceKind::kCuda;
  std::vector<std::int64_t> rank_counts{2};
  if (input.preset == Preset::kFull) rank_counts = {2, 4, 6};
  std::vector<PlannedCell> cells;
  const auto add_cells = [&](DeviceKind device, Collectives collectives) {
    for (const std::int64_t count : rank_counts) {
      cells.push_back({all_reduce_cell(input, device, {count, collectives}),
                       input.selection.launches.value_or(1)});
    }
  };
  if (!gpus || input.edition.name == "2025") add_cells(DeviceKind::kCpu, Collectives::kGloo);
  if (gpus) add_cells(DeviceKind::kCuda, Collectives::kNccl);
  return cells;
}

}  // namespace labreport::distributed_communication_single_node
