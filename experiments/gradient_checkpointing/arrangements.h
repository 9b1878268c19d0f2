// Ways to place checkpoints around N blocks, counted: what each holds and what it runs again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace labreport::gradient_checkpointing {

struct Arrangement {
  std::string words;
  std::int64_t inputs;     ///< Block inputs that are held at once at most.
  std::int64_t residuals;  ///< Blocks whose residuals are held at once.
  std::int64_t again;      ///< Forward passes of blocks besides the first of each.
};

/// Counts five arrangements: no checkpoints, groups of about √N blocks, groups of one block, nested
/// halves, and every prefix from the network's input. `blocks` is at least 1.
///
/// Halves: from the input of a stretch the first half runs without a graph, then the second half is
/// differentiated alike, then the first; a single block runs again with its graph. Prefixes: blocks
/// 1 … k − 1 run without a graph and block k with one, for k from N down to 1.
std::vector<Arrangement> arrangements(std::int64_t blocks);

}  // namespace labreport::gradient_checkpointing
