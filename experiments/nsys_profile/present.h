// The profiling problem in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::nsys_profile {

Presentation present(const RunView& view);

}  // namespace labreport::nsys_profile
