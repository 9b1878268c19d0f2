// The phases of a step as the report quotes them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/common/timing.h"

namespace labreport {

/// Times of each phase in ms by the host's clock, from the steps that synchronize after each phase.
/// Empty for a phase that did not run.
struct PhaseTimes {
  std::vector<double> forward;
  std::vector<double> backward;
  std::vector<double> optimizer;
};
PhaseTimes phase_times(const TimingGroup& group);

/// Times of whole steps in ms, synchronized only at their end; empty if the mode did not run.
std::vector<double> whole_step_times(const TimingGroup& group, Mode mode);

/// Joins the reasons, with the modes that share one: "forward and training step: out of memory …;
/// inference: timed out …". Empty reasons are left out.
std::string reasons_by_mode(const std::vector<std::pair<Mode, std::string>>& reasons);

/// The reasons why modes of this group have no numbers; empty if all modes ran.
std::string reasons_missing(const TimingGroup& group);

}  // namespace labreport
