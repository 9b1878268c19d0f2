// How long the device was busy during a profiled step.
#pragma once

#include "measure/attribution.h"
#include "results/metric.h"

namespace labreport {

/// Tagged "profile": span, busy, unattributed, kernels; tagged "busy": a sum a phase.
std::vector<Metric> activity_metrics(const std::vector<Attributed>& kernels);

}  // namespace labreport
