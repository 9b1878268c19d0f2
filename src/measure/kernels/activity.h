// The time that the device was busy during a profiled step.
#pragma once

#include <string>

#include "measure/kernels/attribution.h"
#include "results/cell.h"
#include "results/metric.h"

namespace labreport {

/// Returns the reason why a profile on that device has no kernels; empty if it has some, or if the
/// device has none.
std::string reason_without_kernels(DeviceKind device, const Trace& trace);

/// Returns metrics tagged "profile": span, busy, unattributed, kernels; and tagged "busy": a sum
/// for each phase. `kernels` are in order of start.
std::vector<Metric> activity_metrics(const std::vector<Attributed>& kernels);

}  // namespace labreport
