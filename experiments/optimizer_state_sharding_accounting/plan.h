// Which steps of several ranks the problem of a sharded optimizer asks for.
#pragma once

#include "plan/planner.h"

namespace labreport::optimizer_state_sharding_accounting {

/// With nothing sharded, and with the optimizer's state.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::optimizer_state_sharding_accounting
