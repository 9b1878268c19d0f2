// Converts a trace to the tables of a launch.
#pragma once

#include "measure/kernels/attribution.h"
#include "results/metric.h"

namespace labreport {

/// Returns the tables "kernel_names" and "kernels"; with `each` also "gpu_trace", unless it has
/// more rows than a run can hold.
std::vector<Table> kernel_tables(const std::vector<Attributed>& kernels, bool each);

}  // namespace labreport
