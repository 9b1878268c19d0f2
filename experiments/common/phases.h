// The phases of a step as the report quotes them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/common/timing.h"

namespace labreport {

/// Host-clock phases of one group in ms, from the steps that synchronize after each phase; empty
/// if the phase did not run.
struct Phases {
  std::vector<double> forward;
  std::vector<double> backward;
  std::vector<double> optimizer;
};
Phases phases(const TimingGroup& group);

/// Whole steps of one mode in ms, synchronized once at the end; empty if it did not run.
std::vector<double> whole_step(const TimingGroup& group, Mode mode);

/// "forward and training step: out of memory …; inference: timed out …": modes of one reason
/// together; empty reasons are left out.
std::string reasons_by_mode(const std::vector<std::pair<Mode, std::string>>& reasons);

/// The reasons of all modes of this group that have no numbers; empty if all of it ran.
std::string reasons_missing(const TimingGroup& group);

}  // namespace labreport
