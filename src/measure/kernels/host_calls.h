// What the host did during a profiled step besides running operators.
#pragma once

#include "engine/trace_event.h"
#include "results/metric.h"

namespace labreport {

/// Tagged "runtime": the host's time in calls of the device's runtime, by what for. A wait for the
/// device is none of them.
std::vector<Metric> runtime_metrics(const Trace& trace);

/// Tagged "first": what an operator's call takes longer on the host when it launches a kernel for
/// the first time in the process than it takes otherwise, the shortest of its other calls: loading
/// the kernel's code, or for GEMMs initializing cuBLAS and choosing the kernel.
/// Allocations and the launch itself, which may wait for the device, are left out.
std::vector<Metric> first_launch_metrics(const Trace& trace);

}  // namespace labreport
