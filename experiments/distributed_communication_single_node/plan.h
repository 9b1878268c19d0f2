// Which all-reduces the problem asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::distributed_communication_single_node {

/// A cell for each library and number of ranks: every size. 2025 sets Gloo on CPU processes beside
/// NCCL on GPUs, 2026 has GPUs alone; a demonstration has Gloo and two processes.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::distributed_communication_single_node
