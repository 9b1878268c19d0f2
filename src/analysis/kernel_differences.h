// Where the kernels of two runs differ: by phase, and by what part of the network they serve.
#pragma once

#include <vector>

#include "analysis/comparison.h"

namespace labreport {

/// Of the matched profiled steps one a precision: the step that holds most, of the largest network
/// at the longest context. Places match by their names (analysis/kernel_places.h); a part of one
/// that the other side does not have is added to the place around it, on both sides.
std::vector<StepDifference> step_differences(const Matching& matching);

}  // namespace labreport
