#include "experiments/problems.h"

#include "experiments/common/selection.h"
#include "results/run_labels.h"

namespace labreport::distributed_communication_single_node {

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  std::vector<std::int64_t> rank_counts{2};
  if (input.preset == Preset::kFull) rank_counts = {2, 4, 6};
  std::vector<PlannedCell> cells;
  const auto add_cells = [&](DeviceKind device) {
    for (const std::int64_t count : rank_counts) {
      cells.push_back(
          {all_reduce_cell(input, device, count), input.selection.launches.value_or(1)});
    }
  };
  const bool gpus = input.device == DeviceKind::kCuda;
  if (!gpus || input.edition.name == kEdition2025) add_cells(DeviceKind::kCpu);
  if (gpus) add_cells(DeviceKind::kCuda);
  return cells;
}

}  // namespace labreport::distributed_communication_single_node
