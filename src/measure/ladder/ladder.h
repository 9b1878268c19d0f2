// Kind `ladder`: one training step, written as its cell's variant says.
#pragma once

#include "results/run.h"

namespace labreport {

/// Times the steps, keeps the loss of each, and profiles one more. A CUDA graph on a CPU is
/// skipped. Throws `InputError` where a parameter is missing.
Launch measure_ladder(const LaunchRequest& request);

}  // namespace labreport
