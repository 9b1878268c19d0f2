// Which cells the ladder of a training step asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::ladder {

/// For the smallest size and the largest whose first rung fits: each variant under 16-bit autocast,
/// then each in FP32, on a GPU with TF32 before the CUDA graph; there
/// torch.compile comes last. Of labreport's own network alone.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::ladder
