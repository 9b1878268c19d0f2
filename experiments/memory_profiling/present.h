// The memory problem in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::memory_profiling {

Presentation present(const RunView& view);

}  // namespace labreport::memory_profiling
