// Which cells the benchmarking problem asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::benchmarking_script {

/// Fresh processes whose first step is shown, the one that goes on to the timed steps included.
inline constexpr std::int64_t kFirstStepLaunches = 3;

/// The modes whose warm-up windows part (c) of the edition shows.
bool is_warmup_mode(const Edition& edition, Mode mode);

/// Sizes × contexts × precisions × modes; first steps in processes of their own in the full preset.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::benchmarking_script
