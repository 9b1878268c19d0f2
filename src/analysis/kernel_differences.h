// Compares the kernels of two runs by phase and part of the network.
#pragma once

#include <vector>

#include "analysis/comparison.h"

namespace labreport {

/// Compares, for each precision, one step that both runs profiled: the mode that does most, among
/// its steps the network with most parameters, then the longest context. Places match by name
/// (analysis/kernel_places.h). The time of a stage that only one side has counts to the rest of its
/// part of the network.
std::vector<StepDifference> step_differences(const Matching& matching);

}  // namespace labreport
