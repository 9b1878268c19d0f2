// Part (d), which has a file of its own.
#pragma once

#include "experiments/data_parallel/schemes.h"
#include "experiments/experiment.h"

namespace labreport::data_parallel {

inline constexpr const char* kProblem = "data_parallel";

PartContent present_buckets(const RunView& view, const std::vector<Network>& networks);

}  // namespace labreport::data_parallel
