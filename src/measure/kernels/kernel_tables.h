// Converts a trace to the tables of a launch.
#pragma once

#include "measure/kernels/attribution.h"
#include "results/metric.h"

namespace labreport {

/// Returns the tables "kernel_names" and "kernels". With `with_gpu_trace` it adds "gpu_trace",
/// one row for each kernel, unless there are more than `kMaxTraceRows` kernels.
std::vector<Table> kernel_tables(const std::vector<Attribution>& kernels, bool with_gpu_trace);

}  // namespace labreport
