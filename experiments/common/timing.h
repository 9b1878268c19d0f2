// Groups timing cells by network, reads their step times and judges what bounds a step.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"

namespace labreport {

/// A step is bound by the host's launches, by the device, or mixed over its phases; see `bound_of`.
enum class Bound { kLaunch, kMixed, kDevice };

/// The cells of one network at one context, batch and precision, by mode.
struct TimingGroup {
  std::string label = {};                  ///< See `label_groups`: "2.7B", "2.7B, 512, BF16".
  CellSpec spec;                           ///< `mode` is not set.
  std::map<Mode, const Cell*> cells = {};  ///< The mode's cell with the most steps.
  std::map<Mode, const Cell*> first_step_cells = {};  ///< Cells of a single cold step, if any.
  /// Cells with fewer steps. Each times one warm-up window in its own process.
  std::vector<const Cell*> window_cells = {};
  std::string name = {};                     ///< The label without the context, for tables.
  std::optional<std::int64_t> context = {};  ///< Empty unless groups differ in it.
};

/// Groups the run's timing cells, in plan order.
std::vector<TimingGroup> timing_groups(const RunView& view);

/// Returns all `TimingGroup::cells` of the groups.
std::vector<const Cell*> cells_of(const std::vector<TimingGroup>& groups);

/// Sets label, name and context. A label has context and precision only if groups differ in them.
void label_groups(std::vector<TimingGroup>& groups);

/// A timing cell with its successful launch. The pointers are never null.
struct TimedLaunch {
  const CellSpec* spec;
  const Launch* launch;

  /// A metric in ms, one value for each step after the warm-up. Empty if it was not measured.
  std::vector<double> ms_after_warmup(std::string_view tag, std::string_view name) const;
};

/// Returns nothing if the mode was not planned or has no successful launch.
std::optional<TimedLaunch> timed_launch(const TimingGroup& group, Mode mode);

/// Returns the launch of the longest mode that ran: a training step, or else forward+backward, …
std::optional<TimedLaunch> longest_timed_launch(const TimingGroup& group);

/// Says why a mode has no numbers: "out of memory in loss". Empty if it ran or was not planned.
std::string reason_missing(const TimingGroup& group, Mode mode);

/// The lag is the time from when the host has enqueued a phase until the device has finished it.
/// Phases are judged separately, because a full launch queue blocks the host and limits later lags.
struct PhaseLag {
  std::string_view phase;
  double lag_ratio;  ///< The lag / the phase's device time, median of the steps; may exceed 1.
  /// The kernels' time / the phase's device time; empty if the phase was not profiled.
  std::optional<double> busy_ratio;
};

/// Returns a lag for each phase except the loss, which is too short. Empty on a CPU.
std::vector<PhaseLag> device_lags(const RunView& view, const TimedLaunch& timed);

/// True if launches set the pace: `lag_ratio` is below 5 %, and `busy_ratio` below 80 % or unknown.
bool is_launch_bound(const PhaseLag& lag);

/// Judges a step by its `device_lags`: launch-bound if all phases are, GPU-bound if none is, and
/// mixed otherwise. Returns nothing if there are no lags.
std::optional<Bound> bound_of(const RunView& view, const TimedLaunch& timed);
std::string_view describe(Bound bound);  ///< "launch-bound", "mixed", "GPU-bound"

/// Returns the time in which kernels run in the profiled step / the mean time of the unprofiled
/// steps in the same process. Returns nothing if the step was not profiled or the share exceeds 1.
std::optional<double> busy_share(const RunView& view, const CellSpec& step);

/// Returns the peak rate, in FLOP/s, that the run measured with large GEMMs.
std::optional<double> measured_gemm_rate(const RunView& view, Precision precision);

/// Returns the MFU: FLOPs of the step's GEMMs / mean step time / `measured_gemm_rate`.
std::optional<double> model_flops_utilization(const RunView& view, const TimedLaunch& timed);

/// Returns a metric that is a single number, in its unit; nothing if it was not measured.
std::optional<double> single_number(const Launch& launch, std::string_view tag,
                                    std::string_view name);

/// Names what disturbed a launch, except slowdowns: "shared GPU", "spilled to host memory".
std::vector<std::string> disturbances_except_slowdown(const Launch& launch);

/// True if the longest step exceeds the median both by more than 5 % and by more than seven median
/// absolute deviations. False for fewer than four steps.
bool has_outlier(const std::vector<double>& steps_ms);

/// Names all that disturbed the timed steps. Adds "thermal slowdown", "allocated in step" and
/// "outlier" (see `has_outlier`) to what `disturbances_except_slowdown` names.
std::vector<std::string> disturbances(const TimedLaunch& timed);

}  // namespace labreport
