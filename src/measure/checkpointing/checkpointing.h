// Kind `checkpointing`: what a step holds and takes where groups of blocks run again in backward.
#pragma once

#include "results/run.h"

namespace labreport {

/// One forward and backward first, then, in mode `train_step`, training steps. Where these run out
/// of memory, what is known of the first is kept: the outcome is set here, not thrown. Throws
/// `InputError` where a parameter is missing, and for modes without a backward pass.
Launch measure_checkpointing(const LaunchRequest& request);

}  // namespace labreport
