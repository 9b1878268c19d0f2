// Whether training on all ranks is what training on one would be.
#pragma once

#include <vector>

#include "engine/rank_group.h"
#include "results/cell.h"
#include "results/metric.h"

namespace labreport {

/// A few steps of SGD on a small network: ranks begin with different weights, take rank 0's, and
/// average the gradients of their shares by the cell's scheme; beside them each rank trains on the
/// whole batch by itself. Metrics tagged "equality". Throws `Error` where a gradient or a weight
/// differs by more than FP32's rounding explains. Adam's first steps follow the signs of gradients
/// and would make much of rounding: SGD does not.
std::vector<Metric> check_equality(RankGroup& group, const CellSpec& spec, std::int64_t seed);

/// Rank 0's parameters for all.
void broadcast_parameters(RankGroup& group, const std::vector<at::Tensor>& parameters);

/// How many ranks hold other weights than rank 0, to the bit.
std::int64_t ranks_apart(RankGroup& group, const std::vector<at::Tensor>& parameters);

}  // namespace labreport
