// Timing cells as presenters see them: grouped by network, their steps counted and classified.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/view.h"

namespace labreport {

/// Which of host and device sets the pace of a step: see `device_lag`.
enum class Bound { kLaunch, kMixed, kDevice };

/// One network at one context, batch and precision; its modes side by side.
struct TimingGroup {
  std::string label;  ///< "2.7B"; with context or precision behind it where the run has several.
  CellSpec spec;      ///< Without mode, warm-up and steps.
  std::map<Mode, const Cell*> cells;       ///< The cell with the most steps.
  std::map<Mode, const Cell*> first_only;  ///< Cells of a single cold step, where there are some.
  std::vector<const Cell*> others;         ///< Shorter cells: warm-up windows measured apart.
  /// The label as two columns of a table; the context only if these groups have several.
  std::string name = {};
  std::optional<std::int64_t> context = {};
};

/// In plan order.
std::vector<TimingGroup> timing_groups(const RunView& view);

/// The cells that speak for their modes.
std::vector<const Cell*> cells_of(const std::vector<TimingGroup>& groups);

/// Names groups by their size, and by context and precision where these groups have several.
void label_groups(std::vector<TimingGroup>& groups);

/// One mode of a group that ran: null members never.
struct Timed {
  const CellSpec* spec;
  const Launch* launch;

  /// Milliseconds of the counted steps; empty when the metric is absent.
  std::vector<double> counted(std::string_view tag, std::string_view name) const;
};

/// Nothing when the mode was not asked for or its cell is not ok.
std::optional<Timed> timed(const TimingGroup& group, Mode mode);

/// The mode that holds most, of those that ran.
std::optional<Timed> fullest(const TimingGroup& group);

/// Why a mode has no numbers: "out of memory in optimizer"; empty when it has, or was not asked
/// for.
std::string reason_missing(const TimingGroup& group, Mode mode);

/// How far the device was behind when the host had enqueued a phase, as a share of the phase's own
/// device time; the median over the counted steps. A full launch queue blocks the host, so the lag
/// at the step's end alone would call long steps launch-bound.
struct PhaseLag {
  std::string_view phase;
  double share;
  std::optional<double> busy;  ///< Kernels' share of the phase, by the profile of such a step.
};

/// Empty where the device has no clock of its own (a CPU).
std::vector<PhaseLag> device_lags(const RunView& view, const Timed& timed);

/// The device had done nearly all of the phase when the host had enqueued it, and no profile shows
/// kernels in most of the phase: launches set the pace.
bool launch_bound(const PhaseLag& lag);

/// Launch-bound: every phase is. GPU-bound: none is. Nothing without lags. The loss is left out: it
/// is too short to fall behind in.
std::optional<Bound> bound(const RunView& view, const Timed& timed);
std::string_view describe(Bound bound);  ///< "launch-bound", "mixed", "GPU-bound"

/// The share of an unprofiled step in which some kernel ran, by the profile of the same step.
/// Nothing where it was not profiled.
std::optional<double> busy_share(const RunView& view, const CellSpec& step);

/// What the device sustains in flop/s; see analysis/measures.h.
std::optional<double> matrix_rate(const RunView& view, Precision precision);

/// The step's matrix products over their mean time, as a share of the measured rate.
std::optional<double> share_of_peak(const RunView& view, const Timed& timed);

/// Words for what a launch shared the device's memory with: "shared GPU", "spilled to host memory".
std::vector<std::string> crowding(const Launch& launch);

/// Whether a step lies further above the median than seven median absolute deviations and 5 %.
bool has_outlier(const std::vector<double>& steps);

/// Words for what disturbed the timed steps: "thermal slowdown", crowding, "allocated in step",
/// "outlier" (see `has_outlier`).
std::vector<std::string> disturbances(const Timed& timed);

}  // namespace labreport
