// The parts of the problem.
#pragma once

#include "experiments/experiment.h"
#include "experiments/gradient_checkpointing/choices.h"

namespace labreport::gradient_checkpointing {

PartContent present_nested(const std::vector<Checkpointed>& networks);
PartContent present_block_size(const RunView& view, const std::vector<Checkpointed>& networks);

}  // namespace labreport::gradient_checkpointing
