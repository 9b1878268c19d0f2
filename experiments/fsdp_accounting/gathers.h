// Reads from a run how long passes waited for gathered weights, block by block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "document/view.h"

namespace labreport::fsdp_accounting {

/// The gathers of the weight matrices of one module in one pass. The module is a block, the
/// embedding or the head.
struct ModuleGathers {
  std::string module;   ///< "layers.0"; "token_embeddings"
  std::string pass;     ///< metric::kForward, metric::kBackward
  double alone_ms = 0;  ///< The sum of the gathers' times with nothing else running.
  double wait_ms = 0;   ///< How long the pass waited for the gathers.
  std::int64_t matrices = 0, matrices_in_time = 0;  ///< Includes the matrices of the FFN.
  std::int64_t ffn_matrices = 0, ffn_matrices_in_time = 0;

  bool is_block() const { return module.starts_with("layers."); }
  /// Returns the block's number, from 0; nothing for the embedding and the head.
  std::optional<std::int64_t> block_number() const;
};

/// Returns true if the pass waited for at most a twentieth of `alone_ns`, or at most 10 µs,
/// which the device's events cannot distinguish from 0.
bool is_in_time(double wait_ns, double alone_ns);

/// Returns the modules in the order of the passes, forward first; empty if nothing was gathered.
std::vector<ModuleGathers> module_gathers(const Launch& launch);

/// Returns the sums over all blocks of one pass; nothing if there are no blocks.
std::optional<ModuleGathers> sum_of_blocks(const std::vector<ModuleGathers>& gathers,
                                           std::string_view pass);

}  // namespace labreport::fsdp_accounting
