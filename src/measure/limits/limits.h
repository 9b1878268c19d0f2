// Kind `limits`: what the device sustains, measured rather than looked up.
#pragma once

#include "results/run.h"

namespace labreport {

/// GEMMs on random normal inputs, in every precision, and a copy on the device.
Launch measure_limits(const LaunchRequest& request);

}  // namespace labreport
