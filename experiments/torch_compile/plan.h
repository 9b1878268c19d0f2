// Which cells the problem of torch.compile asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::torch_compile {

/// Part (a): attention by itself over head dimensions and sequence lengths, in FP32. Part (b): each
/// network's training step in eager mode and compiled, in FP32 and the device's 16-bit format. Both
/// ways are the same PyTorch functions.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::torch_compile
