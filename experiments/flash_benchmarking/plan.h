// Which cells the latencies of attention ask for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::flash_benchmarking {

/// A cell for each precision, head dimension and implementation at every length, then the
/// leaderboard's configuration for each backend. What no library computes in FP32 is asked once, at
/// the smallest head dimension: its cell tells why.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::flash_benchmarking
