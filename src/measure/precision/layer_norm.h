// Kind `layer_norm`: how layer normalization loses digits, format by format and step by step.
#pragma once

#include "results/run.h"

namespace labreport {

/// Normalizes random normal vectors of several widths and scales in FP16, BF16 and FP32 by three
/// methods and compares each step with FP64 on the same, already rounded, input.
Launch measure_layer_norm(const LaunchRequest& request);

}  // namespace labreport
