// The time that the device was busy during a profiled step.
#pragma once

#include <string>

#include "measure/kernels/attribution.h"
#include "results/cell.h"
#include "results/metric.h"

namespace labreport {

/// Returns the reason why a GPU's profile has no kernels; empty if it has some, and on a CPU.
std::string reason_without_kernels(DeviceKind device, const Trace& trace);

/// Returns metrics tagged "profile": the span from the first kernel's start to the last end, the
/// busy time in which at least one kernel ran, the sum of durations without a phase, and the number
/// of kernels; and tagged "busy": the sum of durations for each phase. Times are in nanoseconds.
/// `kernels` are in order of start.
std::vector<Metric> activity_metrics(const std::vector<Attribution>& kernels);

}  // namespace labreport
