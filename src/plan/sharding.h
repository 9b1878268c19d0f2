// Training over several ranks, by arithmetic: who owns which parameter, what each then holds.
#pragma once

#include <cstdint>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// Elements of the network's parameters in the order in which it uses them; which of them are
/// weights of a linear layer or the embedding.
struct ParameterSize {
  std::int64_t elements = 0;
  bool matrix = false;
};
std::vector<ParameterSize> parameter_sizes(const ModelShape& shape);

/// The rank that steps each parameter: the largest first, each to whoever has least so far. Whole
/// parameters are units, so shares differ.
std::vector<std::int64_t> owners(const std::vector<std::int64_t>& elements, std::int64_t ranks);

/// The share of all elements that the rank with most of them owns: 1 / ranks where they split
/// evenly.
double largest_share(const ModelShape& shape, std::int64_t ranks);

/// What one rank holds, FP32: of the rank with most. Matrices that are sharded are cut into equal
/// shards; norms stay whole.
struct HeldBytes {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t moments = 0;

  std::int64_t total() const { return parameters + gradients + moments; }
};
HeldBytes held_bytes(const CellSpec& spec);

/// The step of one rank by itself, nothing of the others.
CellSpec of_one_rank(CellSpec spec);

/// Bytes that a rank of a ring sends in one step, gradients and parameters alike `width` bytes an
/// element: an all-reduce 2 (N − 1)/N, a broadcast, gather or scatter (N − 1)/N of each.
double sent_bytes(const CellSpec& spec);
/// The same of ZeRO-1: gradients scattered, parameters gathered.
double sent_by_zero1(const CellSpec& spec);

}  // namespace labreport
