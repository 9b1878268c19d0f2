// A trace as the tables of a launch.
#pragma once

#include "measure/kernels/attribution.h"
#include "results/metric.h"

namespace labreport {

/// The tables "kernel_names", "kernels" and "layer".
std::vector<Table> kernel_tables(const std::vector<Attributed>& kernels);

}  // namespace labreport
