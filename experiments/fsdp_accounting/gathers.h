// Reads from a run how long passes waited for their weights, block by block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "document/view.h"

namespace labreport::fsdp_accounting {

/// The weights of one block, the embedding or the head in one pass; milliseconds.
struct BlockGather {
  std::string block;  ///< "layers.0"; "token_embeddings"
  std::string pass;   ///< metric::kForward, metric::kBackward
  double bytes = 0;
  double alone_ms = 0;                   ///< Its gathers alone, one after the other.
  double wait_ms = 0;                    ///< The part of that time for which the pass waited.
  std::int64_t layers = 0, in_time = 0;  ///< Number of matrices, and of those gathered in time.

  bool is_block() const { return block.starts_with("layers."); }
  /// The block's number, from 0; nothing for other parts.
  std::optional<std::int64_t> number() const;
};

/// A gather was in time if its pass waited for less than a twentieth of the gather's time alone, or
/// less than 10 µs, which the device's events cannot distinguish from 0.
bool in_time(double wait_ns, double alone_ns);

/// Blocks of forward in its order, then those of backward; empty if the launch has none.
std::vector<BlockGather> block_gathers(const Launch& launch);

/// Names the matrices that were late in most blocks ("ffn.w1"), in the order of the network.
std::vector<std::string> late_matrices(const Launch& launch, std::string_view pass);

/// The blocks' sums of one pass; nothing if there are no blocks.
std::optional<BlockGather> all_blocks(const std::vector<BlockGather>& gathers,
                                      std::string_view pass);

}  // namespace labreport::fsdp_accounting
