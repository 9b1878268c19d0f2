// How long passes waited for their weights, block by block.
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
  double alone_ms = 0;                   ///< Its gathers by themselves, one after the other.
  double wait_ms = 0;                    ///< Of it what the pass waited.
  std::int64_t layers = 0, in_time = 0;  ///< Matrices; those whose gather had finished.

  bool is_block() const { return block.starts_with("layers."); }
  std::optional<std::int64_t> number() const;  ///< Of a block, from 0.
};

/// A gather was there in time where its pass waited for less than a twentieth of what it takes
/// alone, or less than 10 µs, which the device's events do not tell from none.
bool in_time(double wait_ns, double alone_ns);

/// Forward in its order, then backward; empty where the launch has none.
std::vector<BlockGather> block_gathers(const Launch& launch);

/// "ffn.w1": the matrices that were late in most blocks, in the order of the network.
std::vector<std::string> late_matrices(const Launch& launch, std::string_view pass);

/// The blocks' sums of one pass; nothing where there are no blocks.
std::optional<BlockGather> all_blocks(const std::vector<BlockGather>& gathers,
                                      std::string_view pass);

}  // namespace labreport::fsdp_accounting
