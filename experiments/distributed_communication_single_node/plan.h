// Which all-reduces the problem asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::distributed_communication_single_node {

/// Every size by one library with one number of ranks.
CellSpec all_reduces(const PlanInput& input, DeviceKind device, Ranks ranks);

/// A cell for each library and number of ranks. 2025 sets Gloo on CPU processes beside NCCL on
/// GPUs, 2026 has GPUs alone; a demonstration has Gloo and two processes.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::distributed_communication_single_node
