// Reads the times of a step's phases from a group of timing cells.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/common/timing.h"

namespace labreport {

/// Host-clock times in ms of the steps that synchronize after every phase. A phase that did not run
/// has an empty vector.
struct PhaseTimes {
  std::vector<double> forward;
  std::vector<double> backward;
  std::vector<double> optimizer;
};
PhaseTimes phase_times(const TimingGroup& group);

/// Returns the times in ms of steps synchronized only at their end; empty if the mode did not run.
std::vector<double> whole_step_times(const TimingGroup& group, Mode mode);

/// The kernels (on a CPU: operators) of one pass in one profiled step.
struct KernelTimes {
  double gemms_ms = 0, copies_ms = 0, others_ms = 0;

  double non_gemms_ms() const { return copies_ms + others_ms; }
  double total_ms() const { return gemms_ms + non_gemms_ms(); }
  double gemm_fraction() const { return gemms_ms / total_ms(); }
};

/// Returns nothing without a profile or if a kernel of the phase has no time.
std::optional<KernelTimes> kernel_times(const Launch* profile, std::string_view phase);

/// Returns the profile of the network's longest mode that ran after a warm-up; null if none did.
const Launch* longest_profile(const RunView& view, const CellSpec& network);

/// Returns the launch that profiled a fresh process's first step of the network; null if none did.
/// If `mode` is given, the step has to have that mode.
const Launch* profiled_first_step(const RunView& view, const CellSpec& network,
                                  std::optional<Mode> mode = {});

/// Joins the reasons, each behind the modes that share it: "forward and training step: out of
/// memory …; inference: timed out …". Empty reasons are left out.
std::string reasons_by_mode(const std::vector<std::pair<Mode, std::string>>& reasons);

/// Joins the reasons of all modes by `reasons_by_mode`; empty if all modes ran.
std::string why_modes_are_missing(const TimingGroup& group);

}  // namespace labreport
