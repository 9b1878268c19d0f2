// Which cells the problem of eager attention's memory asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::pytorch_attention {

/// A cell for each head dimension and precision: eager attention at every length.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::pytorch_attention
