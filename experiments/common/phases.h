// Reads the times of a step's phases from a group of timing cells.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/common/timing.h"

namespace labreport {

/// The times of each phase in ms by the host's clock, one for each step that synchronizes after
/// each phase. Empty for a phase that did not run.
struct PhaseTimes {
  std::vector<double> forward;
  std::vector<double> backward;
  std::vector<double> optimizer;
};
PhaseTimes phase_times(const TimingGroup& group);

/// Returns the times in ms of steps synchronized only at their end; empty if the mode did not run.
std::vector<double> whole_step_times(const TimingGroup& group, Mode mode);

/// Joins the reasons, each behind the modes that share it: "forward and training step: out of
/// memory …; inference: timed out …". Empty reasons are left out.
std::string reasons_by_mode(const std::vector<std::pair<Mode, std::string>>& reasons);

/// Says why modes of this group have no numbers. Empty if all modes ran.
std::string reasons_missing(const TimingGroup& group);

}  // namespace labreport
