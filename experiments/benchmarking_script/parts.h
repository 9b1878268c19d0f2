// The three parts of the benchmarking problem, each from the same rows.
#pragma once

#include <string>
#include <vector>

#include "document/section.h"
#include "document/view.h"
#include "experiments/common/phases.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_script {

inline constexpr const char* kProblem = "benchmarking_script";

PartContent present_program(const RunView& view, const std::vector<TimingGroup>& groups);
PartContent present_durations(const RunView& view, const std::vector<TimingGroup>& groups);
PartContent present_warmup(const RunView& view, const std::vector<TimingGroup>& groups);

}  // namespace labreport::benchmarking_script
