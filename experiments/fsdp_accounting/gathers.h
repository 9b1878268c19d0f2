// Reads from a run how long passes waited for their weights, block by block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "document/view.h"

namespace labreport::fsdp_accounting {

/// The gathers of the weights of one block, the embedding or the head in one pass.
struct BlockGather {
  std::string block;  ///< "layers.0"; "token_embeddings"
  std::string pass;   ///< metric::kForward, metric::kBackward
  double bytes = 0;
  double alone_ms = 0;                   ///< The gathers' time one by one, nothing else running.
  double wait_ms = 0;                    ///< How long the pass waited for the gathers.
  std::int64_t layers = 0, in_time = 0;  ///< All matrices, and those gathered in time.

  bool is_block() const { return block.starts_with("layers."); }
  /// The block's number, from 0; nothing for the embedding and the head.
  std::optional<std::int64_t> number() const;
};

/// A gather was in time if the pass waited for at most a twentieth of `alone_ns`, or at most 10 µs,
/// which the device's events cannot distinguish from 0.
bool in_time(double wait_ns, double alone_ns);

/// Blocks of forward in its order, then those of backward; empty if the launch has none.
std::vector<BlockGather> block_gathers(const Launch& launch);

/// Names the matrices ("ffn.w1") that were late in more than half of the blocks.
std::vector<std::string> late_matrices(const Launch& launch, std::string_view pass);

/// The sums over all blocks of one pass; nothing if there are no blocks.
std::optional<BlockGather> all_blocks(const std::vector<BlockGather>& gathers,
                                      std::string_view pass);

}  // namespace labreport::fsdp_accounting
