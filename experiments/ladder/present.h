// The ladder of a training step in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::ladder {

Presentation present(const RunView& view);

}  // namespace labreport::ladder
