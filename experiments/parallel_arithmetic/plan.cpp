#include "experiments/problems.h"

#include "experiments/common/selection.h"

namespace labreport::parallel_arithmetic {

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  return {{bare_cell(input.device, CellKind::kLimits), 1},
          {all_reduce_cell(input, input.device, 2), input.selection.launches.value_or(1)}};
}

}  // namespace labreport::parallel_arithmetic
