// How long the device was busy during a profiled step.
#pragma once

#include <string>

#include "measure/kernels/attribution.h"
#include "results/cell.h"
#include "results/metric.h"

namespace labreport {

/// Why a profile on that device holds no kernels; empty: it does, or the device has none.
std::string reason_without_kernels(DeviceKind device, const Trace& trace);

/// Tagged "profile": span, busy, unattributed, kernels; tagged "busy": a sum a phase.
std::vector<Metric> activity_metrics(const std::vector<Attributed>& kernels);

}  // namespace labreport
