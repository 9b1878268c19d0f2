// Which cells the problem of gradient checkpointing asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::gradient_checkpointing {

/// The training step of xl at context 2048 without checkpoints, then with checkpoints of 1, 2, 4, …
/// blocks; of the next smaller size where one block each has no room. The user's sizes, contexts
/// and precisions as they are.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::gradient_checkpointing
