// Which steps the profiling problem asks for.
#pragma once

#include <vector>

#include "plan/planner.h"

namespace labreport::nsys_profile {

/// An inference step and the fullest step that fits of each network. 2025: every context in FP32,
/// and the reference context in the device's 16-bit format. 2026: the three longest contexts,
/// powers of two, whose step fits; found by doubling.
std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far);

}  // namespace labreport::nsys_profile
