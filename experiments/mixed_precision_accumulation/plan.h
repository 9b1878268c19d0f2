// Which cells the accumulation problem asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::mixed_precision_accumulation {

/// One cell: the loops.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::mixed_precision_accumulation
