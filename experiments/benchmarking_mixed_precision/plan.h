// Which cells the mixed-precision problem asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::benchmarking_mixed_precision {

/// Dtypes for (a) and (b), layer normalization for (b); for (c) the training step of every size in
/// FP32 and in the device's 16-bit format, and a lesser mode where a step does not fit.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::benchmarking_mixed_precision
