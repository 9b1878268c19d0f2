// Which steps of several ranks the problem of a sharded optimizer asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::optimizer_state_sharding_accounting {

/// The handout's size, else the preset's largest; the user's as they are.
std::vector<Size> sharded_sizes(const PlanInput& input, const Axes& chosen);

/// A training step of two ranks, one GPU each over NCCL, or CPU processes over Gloo; the caller
/// sets precision, context and what is sharded. Each rank takes half of the batch.
CellSpec sharded_cell(const PlanInput& input, const Axes& chosen, const Size& size);

/// With nothing sharded, and with the optimizer's state.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::optimizer_state_sharding_accounting
