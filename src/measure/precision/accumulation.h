// Kind `accumulation`: what a thousand additions of a small number come to.
#pragma once

#include "results/run.h"

namespace labreport {

/// Runs every loop one addition at a time, on the cell's device and, beside a GPU, on the
/// CPU. Samples tagged "running" hold the sum after each addition.
Launch measure_accumulation(const LaunchRequest& request);

}  // namespace labreport
