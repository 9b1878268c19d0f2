// Checks that training on all ranks equals training on one.
#pragma once

#include <vector>

#include "engine/rank_group.h"
#include "results/cell.h"
#include "results/metric.h"

namespace labreport {

/// Trains a small network of labreport's for a few steps of SGD. All ranks train one copy together:
/// they start with rank 0's weights and average gradients by the cell's scheme. Each rank trains
/// another copy alone on the whole batch. Returns metrics tagged "equality"; none for a scheme that
/// does not average. Throws `Error` if a gradient or a weight differs by more than FP32's rounding
/// explains. Adam is not used because its first steps depend on signs of gradients and so amplify
/// rounding.
std::vector<Metric> check_equality(RankGroup& group, const CellSpec& spec, std::int64_t seed);

/// Copies rank 0's parameters to all ranks.
void broadcast_parameters(RankGroup& group, const std::vector<at::Tensor>& parameters);

/// Counts the ranks whose weights differ from rank 0's. It compares one sum for each parameter, in
/// which the bits of each weight are read as an integer.
std::int64_t count_differing_ranks(RankGroup& group, const std::vector<at::Tensor>& parameters);

}  // namespace labreport
