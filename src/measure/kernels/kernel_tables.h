// Converts a trace to the tables of a launch.
#pragma once

#include "measure/kernels/attribution.h"
#include "results/metric.h"

namespace labreport {

/// Returns the tables "kernel_names" and "kernels". With `each` it adds "gpu_trace", one row for
/// each kernel, unless there are more than `kMaxTraceRows` kernels.
std::vector<Table> kernel_tables(const std::vector<Attributed>& kernels, bool each);

}  // namespace labreport
