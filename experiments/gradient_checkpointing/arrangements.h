// Part (a): what different ways to place checkpoints around N blocks hold and recompute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/section.h"
#include "experiments/gradient_checkpointing/choices.h"

namespace labreport::gradient_checkpointing {

struct Arrangement {
  std::string words;
  std::int64_t held_inputs;     ///< The most block inputs held at once.
  std::int64_t held_residuals;  ///< The most blocks whose residuals are held at once.
  std::int64_t recomputed_forwards;      ///< Recomputed forward passes, each of one block.
};

/// Counts five arrangements: no checkpoints, groups of about √N blocks, groups of one block, nested
/// halves, and every prefix from the network's input. `blocks` is at least 1.
///
/// Halves: from the input of a stretch of blocks, the first half runs without a graph; then the
/// second half is differentiated by the same rule, then the first. A single block runs again with
/// its graph. Prefixes: blocks 1 … k − 1 run without a graph and block k with one, for k from N
/// down to 1.
std::vector<Arrangement> arrangements(std::int64_t blocks);

/// Presents part (a) for the first network. `networks` must not be empty.
PartContent present_nested(const std::vector<CheckpointedNetwork>& networks);

}  // namespace labreport::gradient_checkpointing
