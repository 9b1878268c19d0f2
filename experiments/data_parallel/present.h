// Data-parallel training in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::data_parallel {

Presentation present(const RunView& view);

}  // namespace labreport::data_parallel
