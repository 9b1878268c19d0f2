// Kind `kernels`: one step under the profiler, beside the same steps without it.
#pragma once

#include "results/run.h"

namespace labreport {

/// `warmup` steps, `steps` timed without the profiler, then one with it; with 0 and 0 the profiled
/// step is the first of the process. On a CPU its operators stand in place of kernels.
Launch measure_kernels(const LaunchRequest& request);

}  // namespace labreport
