// Host time of a profiled step in calls of the device's runtime and in first launches of kernels.
#pragma once

#include "engine/trace_event.h"
#include "results/metric.h"

namespace labreport {

/// Returns metrics tagged "runtime": host time in calls of the device's runtime, by purpose. Waits
/// for the device are excluded.
std::vector<Metric> runtime_metrics(const Trace& trace);

/// Returns metrics tagged "first": the extra host time of operator calls that launch a kernel for
/// the first time in the process, compared with the operator's shortest other call, or with 0 if
/// there is none. It is the time of loading the kernel's code, or for GEMMs of initializing cuBLAS
/// and choosing the kernel. Allocations are excluded, and so are the launches, which may wait for
/// the device.
std::vector<Metric> first_launch_metrics(const Trace& trace);

}  // namespace labreport
