// Arithmetic of training over several ranks: owners of parameters, and the bytes that ranks hold
// and send.
#pragma once

#include <cstdint>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// A parameter. `matrix` is true for the weight of a linear layer and for the embedding. Lists are
/// in the network's order.
struct ParameterSize {
  std::int64_t elements = 0;
  bool matrix = false;
};
std::vector<ParameterSize> parameter_sizes(const ModelShape& shape);

/// Returns the rank that owns and updates each parameter. Parameters are assigned from the largest
/// to the smallest, each to the rank with the fewest elements so far. None is split, so ranks may
/// own different numbers of elements.
std::vector<std::int64_t> owners(const std::vector<std::int64_t>& elements, std::int64_t ranks);

/// Returns the fraction of all elements that the rank with the most owns; at least 1 / ranks.
double largest_share(const ModelShape& shape, std::int64_t ranks);

/// The FP32 bytes on the rank that holds the most. Each rank holds an equal shard of a sharded
/// matrix, and all of each norm.
struct HeldBytes {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t moments = 0;

  std::int64_t total() const { return parameters + gradients + moments; }
};
HeldBytes held_bytes(const CellSpec& spec);

/// Returns the cell for a single process that holds all state.
CellSpec of_one_rank(CellSpec spec);

/// Returns the bytes that each of N ranks in a ring sends in one step: 2 (N − 1)/N of all bytes for
/// an all-reduce, (N − 1)/N for a broadcast, gather or scatter. An element of sharded weights has 2
/// bytes under autocast; others have 4.
double sent_bytes(const CellSpec& spec);
/// Returns the same for ZeRO-1, which scatters gradients and gathers parameters in FP32.
double sent_by_zero1(const CellSpec& spec);

}  // namespace labreport
