// Calculates which rank owns which parameters, and the bytes that ranks hold and send in training.
#pragma once

#include <cstdint>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// The size of a parameter.
struct ParameterSize {
  std::int64_t elements = 0;
  bool is_matrix = false;  ///< The weight of a linear layer, or the embedding; not a norm's scale.
};

/// Returns the sizes of all parameters in the order of the network.
std::vector<ParameterSize> parameter_sizes(const ModelShape& shape);

/// Returns the rank that owns and updates each parameter; `elements` has the parameters' sizes.
/// Parameters are assigned from the largest to the smallest, each to the rank with the fewest
/// elements so far. No parameter is split, so ranks may own different numbers of elements.
std::vector<std::int64_t> owner_ranks(const std::vector<std::int64_t>& elements,
                                      std::int64_t ranks);

/// Returns the fraction of all elements that the rank with the most elements owns: at least
/// 1 / ranks.
double largest_owned_fraction(const ModelShape& shape, std::int64_t ranks);

/// FP32 bytes on the rank that holds the most. If weights are sharded, each rank holds an equal
/// shard of each matrix and a copy of each norm's scale.
struct HeldBytes {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t moments = 0;

  std::int64_t total() const { return parameters + gradients + moments; }
};
HeldBytes held_bytes(const CellSpec& spec);

/// Returns the cell without ranks and sharding, so that a single process holds all state.
CellSpec as_single_process(CellSpec spec);

/// Returns the bytes that each of N ranks in a ring sends in one step: 2 (N − 1)/N of all bytes for
/// an all-reduce, (N − 1)/N for a broadcast, an all-gather or a reduce-scatter. An element of
/// sharded weights has 2 bytes under autocast. All other elements have 4 bytes.
double sent_bytes_per_step(const CellSpec& spec);
/// Returns the bytes that each rank would send with ZeRO-1, which scatters gradients and gathers
/// parameters in FP32.
double zero1_sent_bytes_per_step(const CellSpec& spec);

}  // namespace labreport
