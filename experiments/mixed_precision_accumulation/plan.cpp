#include "experiments/problems.h"

#include "experiments/common/selection.h"

namespace labreport::mixed_precision_accumulation {

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  return {{bare_cell(input.device, CellKind::kAccumulation), 1}};
}

}  // namespace labreport::mixed_precision_accumulation
