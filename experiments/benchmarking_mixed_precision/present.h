// The mixed-precision problem in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::benchmarking_mixed_precision {

Presentation present(const RunView& view);

}  // namespace labreport::benchmarking_mixed_precision
