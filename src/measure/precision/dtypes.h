// Kind `dtypes`: which dtype each tensor has under autocast.
#pragma once

#include "results/run.h"

namespace labreport {

/// Traces live tensors of one training step under FP16 and under BF16 autocast: of the toy model
/// and of one Transformer block, or of the model that the cell names.
Launch measure_dtypes(const LaunchRequest& request);

}  // namespace labreport
