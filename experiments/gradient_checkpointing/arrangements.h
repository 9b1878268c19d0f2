// Presents part (a): ways to place checkpoints around N blocks, and what each holds and recomputes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/section.h"
#include "experiments/gradient_checkpointing/spacings.h"

namespace labreport::gradient_checkpointing {

/// A way to place checkpoints.
struct Arrangement {
  std::string words;
  std::int64_t held_inputs;          ///< The most block inputs held at once.
  std::int64_t held_blocks;          ///< The most blocks whose saved tensors are held at once.
  std::int64_t recomputed_forwards;  ///< Recomputed forward passes, each of one block.
};

/// Returns five arrangements: no checkpoints, groups of about √N blocks, groups of one block,
/// nested halves, and every prefix from the network's input. `blocks` must be at least 1.
///
/// Nested halves: the first half of the blocks runs without a graph, which gives the input of the
/// second. Backward then passes through the second half and after it through the first, which are
/// halved in turn. A single block runs again with its graph. Prefixes: for k from N down to 1,
/// blocks 1 … k − 1 run without a graph and block k with one.
std::vector<Arrangement> arrangements(std::int64_t blocks);

/// Presents part (a) for the first network. `networks` must not be empty.
PartContent present_nested(const std::vector<CheckpointedNetwork>& networks);

}  // namespace labreport::gradient_checkpointing
