// The accumulation problem in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::mixed_precision_accumulation {

Presentation present(const RunView& view);

}  // namespace labreport::mixed_precision_accumulation
