// The problem of eager attention's memory in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::pytorch_attention {

Presentation present(const RunView& view);

}  // namespace labreport::pytorch_attention
