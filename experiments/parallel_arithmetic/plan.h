// What arithmetic is set beside: C and W of this machine.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::parallel_arithmetic {

/// The device's limits, and the all-reduce among two of its kind, as the problem of all-reduce
/// plans it. Nothing of it is needed for the arithmetic itself.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::parallel_arithmetic
