// A trace as the tables of a launch.
#pragma once

#include "measure/kernels/attribution.h"
#include "results/metric.h"

namespace labreport {

/// The tables "kernel_names" and "kernels"; with `each` also "gpu_trace", where a run holds so
/// many.
std::vector<Table> kernel_tables(const std::vector<Attributed>& kernels, bool each);

}  // namespace labreport
