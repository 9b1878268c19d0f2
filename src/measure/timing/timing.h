// Kind `timing`: how long the steps of one mode take, from the very first.
#pragma once

#include "results/run.h"

namespace labreport {

/// Every step from process start is kept, so one launch holds every warm-up window up to its own.
/// Throws `InputError` where the cell lacks a parameter.
Launch measure_timing(const LaunchRequest& request);

}  // namespace labreport
