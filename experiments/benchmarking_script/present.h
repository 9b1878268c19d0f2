// What the benchmarking problem shows of a run.
#pragma once

#include "experiments/experiment.h"

namespace labreport::benchmarking_script {

/// Parts a, b and c; nothing for a run without timing cells.
Presentation present(const RunView& view);

}  // namespace labreport::benchmarking_script
