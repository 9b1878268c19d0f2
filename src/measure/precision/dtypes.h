// Kind `dtypes`: which dtype each tensor has under autocast.
#pragma once

#include "results/run.h"

namespace labreport {

/// Traces live tensors of one training step of the toy model and of one Transformer block, under
/// FP16 and under BF16 autocast.
Launch measure_dtypes(const LaunchRequest& request);

}  // namespace labreport
