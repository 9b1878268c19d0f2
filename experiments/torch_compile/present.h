// The problem of torch.compile in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::torch_compile {

Presentation present(const RunView& view);

}  // namespace labreport::torch_compile
