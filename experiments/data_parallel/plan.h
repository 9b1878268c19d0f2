// Which data-parallel training steps the problems ask for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::data_parallel {

/// On two ranks the step without communication and those of the schemes up to the last part that is
/// wanted; for buckets also all-reduces by themselves, whose latency and bandwidth their number
/// follows from. The batch is shared out among the ranks. Only labreport's own network is trained.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::data_parallel
