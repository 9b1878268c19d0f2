// Arithmetic of training over several ranks: owners of parameters, and the bytes that ranks hold
// and send.
#pragma once

#include <cstdint>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// Number of elements of a parameter, and whether it is the weight of a linear layer or the
/// embedding. Lists are in the network's order.
struct ParameterSize {
  std::int64_t elements = 0;
  bool matrix = false;
};
std::vector<ParameterSize> parameter_sizes(const ModelShape& shape);

/// Returns the rank that updates each parameter. The largest parameter comes first, and each goes
/// to the rank with the fewest elements so far. Parameters are not split, so shares differ.
std::vector<std::int64_t> owners(const std::vector<std::int64_t>& elements, std::int64_t ranks);

/// Returns the share of all elements that the rank with the most owns: 1 / ranks if they split
/// evenly.
double largest_share(const ModelShape& shape, std::int64_t ranks);

/// FP32 bytes on the rank that holds the most. Sharded matrices are cut into equal shards; norms
/// stay whole.
struct HeldBytes {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t moments = 0;

  std::int64_t total() const { return parameters + gradients + moments; }
};
HeldBytes held_bytes(const CellSpec& spec);

/// Returns the same step for one rank alone.
CellSpec of_one_rank(CellSpec spec);

/// Returns the bytes that a rank of a ring sends in one step, with `width` bytes for each element
/// of gradients and parameters: 2 (N − 1)/N of all bytes for an all-reduce, (N − 1)/N for a
/// broadcast, gather or scatter.
double sent_bytes(const CellSpec& spec);
/// Returns these bytes for ZeRO-1, which scatters gradients and gathers parameters.
double sent_by_zero1(const CellSpec& spec);

}  // namespace labreport
