// The parts of the problem.
#pragma once

#include "experiments/data_parallel/schemes.h"
#include "experiments/experiment.h"

namespace labreport::data_parallel {

inline constexpr const char* kProblem = "data_parallel";

PartContent present_naive(const RunView& view, const std::vector<Network>& networks);
PartContent present_flat(const RunView& view, const std::vector<Network>& networks);
PartContent present_overlap(const RunView& view, const std::vector<Network>& networks);
PartContent present_buckets(const RunView& view, const std::vector<Network>& networks);

}  // namespace labreport::data_parallel
