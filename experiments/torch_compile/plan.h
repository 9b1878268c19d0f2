// Which cells the problem of torch.compile asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::torch_compile {

/// Part (b): each network's training step in eager mode and compiled, both as the same PyTorch
/// module, in FP32 and the device's 16-bit format.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::torch_compile
