// A trace as the tables and metrics of a launch.
#pragma once

#include "measure/attribution.h"
#include "results/metric.h"

namespace labreport {

/// The tables "kernel_names", "kernels" and "layer".
std::vector<Table> kernel_tables(const std::vector<Attributed>& kernels);

/// Tagged "profile": span, busy, unattributed, kernels; tagged "busy": a sum a phase.
std::vector<Metric> activity_metrics(const std::vector<Attributed>& kernels);

/// Tagged "runtime": what the host spent in the device's runtime, by what for.
std::vector<Metric> runtime_metrics(const Trace& trace);

}  // namespace labreport
