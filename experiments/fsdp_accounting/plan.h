// Which steps of several ranks the problem of FSDP asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::fsdp_accounting {

/// In FP32 with nothing sharded, with the optimizer's state, and with weights; in 16 bits with
/// nothing and with weights. The user's precisions as they are, with all three.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::fsdp_accounting
