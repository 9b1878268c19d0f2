// The three parts of the benchmarking problem, each from the same rows.
#pragma once

#include <string>
#include <vector>

#include "experiments/common/timing.h"
#include "report/section.h"
#include "report/view.h"

namespace labreport::benchmarking_script {

inline constexpr const char* kProblem = "benchmarking_script";

PartContent present_program(const RunView& view, const std::vector<TimingGroup>& groups);
PartContent present_durations(const RunView& view, const std::vector<TimingGroup>& groups);
PartContent present_warmup(const RunView& view, const std::vector<TimingGroup>& groups);

/// Host-clock phases of one group in ms, from the steps that synchronise after each phase. Empty
/// where the phase did not run.
struct Phases {
  std::vector<double> forward;
  std::vector<double> backward;
  std::vector<double> optimizer;
};
Phases phases(const TimingGroup& group);

/// Every reason why something of this group is missing, joined; empty when all of it ran.
std::string reasons_missing(const TimingGroup& group);

}  // namespace labreport::benchmarking_script
