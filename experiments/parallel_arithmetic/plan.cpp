#include "experiments/problems.h"

#include "experiments/common/selection.h"

namespace labreport::parallel_arithmetic {

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  std::vector<PlannedCell> cells{{bare_cell(input.device, CellKind::kLimits), 1}};
  for (const PlannedCell& planned : distributed_communication_single_node::plan(input, so_far)) {
    const CellSpec& spec = planned.spec;
    if (spec.device == input.device && spec.ranks->count == 2) cells.push_back(planned);
  }
  return cells;
}

}  // namespace labreport::parallel_arithmetic
