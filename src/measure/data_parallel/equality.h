// Checks that training on all ranks equals training on one.
#pragma once

#include <vector>

#include "engine/rank_group.h"
#include "results/cell.h"
#include "results/metric.h"

namespace labreport {

/// Trains a small network for a few steps of SGD: ranks start with different weights, take rank
/// 0's, and average the gradients of their shares by the cell's scheme. Each rank also trains alone
/// on the whole batch. Returns metrics tagged "equality". Throws `Error` if a gradient or a weight
/// differs by more than FP32's rounding explains. SGD is used because Adam's first steps depend on
/// the signs of gradients, which would amplify rounding.
std::vector<Metric> check_equality(RankGroup& group, const CellSpec& spec, std::int64_t seed);

/// Copies rank 0's parameters to all ranks.
void broadcast_parameters(RankGroup& group, const std::vector<at::Tensor>& parameters);

/// Counts the ranks whose weights differ from rank 0's, by a sum over the bits of each parameter.
std::int64_t count_differing_ranks(RankGroup& group, const std::vector<at::Tensor>& parameters);

}  // namespace labreport
