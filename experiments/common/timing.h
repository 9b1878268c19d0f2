// Timing cells as presenters see them: grouped by network, their steps counted and classified.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"

namespace labreport {

/// Tells whether the host's launches or the device limit a step; see `bound`.
enum class Bound { kLaunch, kMixed, kDevice };

/// The cells of one network at one context, batch and precision, by mode.
struct TimingGroup {
  std::string label = {};  ///< "2.7B", followed by context or precision if the run has several.
  CellSpec spec;           ///< `mode` is not set.
  std::map<Mode, const Cell*> cells = {};       ///< The mode's cell with the most steps.
  std::map<Mode, const Cell*> first_step_cells = {};  ///< Cells of a single cold step, if any.
  /// All other cells, which have fewer steps: each is a warm-up window in its own process.
  std::vector<const Cell*> window_cells = {};
  /// The label as two columns of a table. The context is set only if it differs between groups.
  std::string name = {};
  std::optional<std::int64_t> context = {};
};

/// Returns groups in plan order.
std::vector<TimingGroup> timing_groups(const RunView& view);

/// All `TimingGroup::cells`.
std::vector<const Cell*> cells_of(const std::vector<TimingGroup>& groups);

/// Sets each group's label to its size, plus context and precision if these differ between groups.
void label_groups(std::vector<TimingGroup>& groups);

/// A cell and its successful launch; members are never null.
struct TimedLaunch {
  const CellSpec* spec;
  const Launch* launch;

  /// A metric's milliseconds in the steps after the warm-up; empty if it was not measured.
  std::vector<double> ms_after_warmup(std::string_view tag, std::string_view name) const;
};

/// Returns nothing if the mode was not planned or has no successful launch.
std::optional<TimedLaunch> timed_launch(const TimingGroup& group, Mode mode);

/// Returns the longest mode that ran: if possible a training step, else forward+backward, …
std::optional<TimedLaunch> longest_timed_launch(const TimingGroup& group);

/// Why a mode has no numbers: "out of memory in optimizer". Empty if it has, or was not planned.
std::string reason_missing(const TimingGroup& group, Mode mode);

/// The time from when the host had enqueued a phase until the device finished it. Phases are judged
/// separately: a full launch queue blocks the host, which limits the lag at the step's end.
struct PhaseLag {
  std::string_view phase;
  /// That time / the phase's device time, median of counted steps; may exceed 1.
  double share;
  std::optional<double> busy;  ///< Kernels' share of the phase's time; empty if not profiled.
};

/// One lag for each phase except the loss, which is too short. Empty on a CPU.
std::vector<PhaseLag> device_lags(const RunView& view, const TimedLaunch& timed);

/// True if launches set the pace: `share` is below 5 %, and `busy` is not 80 % or more.
bool is_launch_bound(const PhaseLag& lag);

/// The step is launch-bound if all `device_lags` are, GPU-bound if none is, and mixed otherwise.
/// Returns nothing if there are no lags.
std::optional<Bound> bound_of(const RunView& view, const TimedLaunch& timed);
std::string_view describe(Bound bound);  ///< "launch-bound", "mixed", "GPU-bound"

/// The kernels' busy time in the profiled step, as a share of the mean unprofiled step of the same
/// process. Nothing if the step was not profiled, or if the share would exceed 1.
std::optional<double> busy_share(const RunView& view, const CellSpec& step);

/// The peak rate, in FLOP/s, that the run measured with large matrix products.
std::optional<double> measured_gemm_rate(const RunView& view, Precision precision);

/// The MFU: FLOPs of the step's matrix products / mean step time / `measured_gemm_rate`.
std::optional<double> model_flops_utilization(const RunView& view, const TimedLaunch& timed);

/// A metric's single number in the metric's unit; nothing if it was not measured.
std::optional<double> single_number(const Launch& launch, std::string_view tag,
                                    std::string_view name);

/// Names what disturbed a launch's use of the GPU: "shared GPU", "spilled to host memory".
std::vector<std::string> disturbances_except_slowdown(const Launch& launch);

/// True if the longest step exceeds the median both by more than 5 % and by more than seven median
/// absolute deviations; false for fewer than four steps.
bool has_outlier(const std::vector<double>& steps);

/// Names what disturbed the timed steps: "thermal slowdown", disturbances_except_slowdown, "allocated in step",
/// "outlier" (see `has_outlier`).
std::vector<std::string> disturbances(const TimedLaunch& timed);

}  // namespace labreport
