// Which steps the memory problem asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::memory_profiling {

/// Inference, a forward with grad and the fullest step that fits, of the edition's one size, in
/// FP32 and in the device's 16-bit format. 2026: also at the longest context whose step fits, found
/// by doubling. Where no step of that size fits the device, the largest size of which one does.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::memory_profiling
