// Timing cells as presenters see them: grouped by network, their steps counted and classified.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"

namespace labreport {

/// Tells whether the host or the device limits a step; see `device_lags`.
enum class Bound { kLaunch, kMixed, kDevice };

/// One network at one context, batch and precision; its modes side by side.
struct TimingGroup {
  std::string label = {};  ///< "2.7B", followed by context or precision if the run has several.
  CellSpec spec;           ///< Without mode.
  std::map<Mode, const Cell*> cells = {};       ///< The cell with the most steps of each mode.
  std::map<Mode, const Cell*> first_only = {};  ///< Cells of a single cold step, if any.
  /// Shorter cells: warm-up windows in separate processes.
  std::vector<const Cell*> others = {};
  /// The label as two columns of a table; the context is set if these groups have several.
  std::string name = {};
  std::optional<std::int64_t> context = {};
};

/// Groups are in plan order.
std::vector<TimingGroup> timing_groups(const RunView& view);

/// The cells that represent their modes.
std::vector<const Cell*> cells_of(const std::vector<TimingGroup>& groups);

/// Names groups by their size, and by context and precision where these groups have several.
void label_groups(std::vector<TimingGroup>& groups);

/// One mode of a group that ran; members are never null.
struct Timed {
  const CellSpec* spec;
  const Launch* launch;

  /// Milliseconds of the counted steps; empty when the metric is absent.
  std::vector<double> counted(std::string_view tag, std::string_view name) const;
};

/// Returns nothing if the mode was not asked for or its cell is not ok.
std::optional<Timed> timed(const TimingGroup& group, Mode mode);

/// Returns the longest mode that ran: a training step before forward and backward.
std::optional<Timed> fullest(const TimingGroup& group);

/// The reason why a mode has no numbers: "out of memory in optimizer". Empty if it has numbers or
/// was not asked for.
std::string reason_missing(const TimingGroup& group, Mode mode);

/// The device's lag when the host had enqueued a phase, as a share of the phase's own device time;
/// the median over the counted steps. A full launch queue blocks the host, so the lag at the step's
/// end alone would call long steps launch-bound.
struct PhaseLag {
  std::string_view phase;
  double share;
  std::optional<double> busy;  ///< Kernels' share of the phase, by the profile of such a step.
};

/// Returns nothing if the device has no clock of its own (a CPU).
std::vector<PhaseLag> device_lags(const RunView& view, const Timed& timed);

/// True if launches set the pace: the device had done nearly all of the phase when the host had
/// enqueued it, and no profile shows kernels in most of the phase.
bool launch_bound(const PhaseLag& lag);

/// The step is launch-bound if every phase is, and GPU-bound if none is. The loss is left out
/// because it is too short to fall behind in. Returns nothing without lags.
std::optional<Bound> bound(const RunView& view, const Timed& timed);
std::string_view describe(Bound bound);  ///< "launch-bound", "mixed", "GPU-bound"

/// The share of an unprofiled step in which some kernel ran, from the profile of the same step.
/// Nothing if it was not profiled.
std::optional<double> busy_share(const RunView& view, const CellSpec& step);

/// The rate of large matrix products that the run measured, in FLOP/s; see analysis/measures.h.
std::optional<double> matrix_rate(const RunView& view, Precision precision);

/// The step's matrix products over their mean time, as a share of the measured rate.
std::optional<double> share_of_peak(const RunView& view, const Timed& timed);

/// A metric's single number, in its own unit; nothing when absent.
std::optional<double> single_number(const Launch& launch, std::string_view tag,
                                    std::string_view name);

/// Names what shared the device's memory with a launch: "shared GPU", "spilled to host memory".
std::vector<std::string> crowding(const Launch& launch);

/// True if a step is longer than the median by more than seven median absolute deviations and 5 %.
bool has_outlier(const std::vector<double>& steps);

/// Names what disturbed the timed steps: "thermal slowdown", crowding, "allocated in step",
/// "outlier" (see `has_outlier`).
std::vector<std::string> disturbances(const Timed& timed);

}  // namespace labreport
