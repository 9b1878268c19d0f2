// The problem of gradient checkpointing in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::gradient_checkpointing {

Presentation present(const RunView& view);

}  // namespace labreport::gradient_checkpointing
