// Tells what sets a measured time: the CPU's launches or the GPU's kernels.
#pragma once

#include <optional>
#include <vector>

#include "experiments/common/launch_costs.h"
#include "experiments/common/timing.h"

namespace labreport {

/// A time that was not profiled is launch-bound if, after the CPU's last launch, the GPU needs less
/// than this share of the time to finish it, or if the time itself shows it (see `TimeBound`).
/// Otherwise it counts as GPU-bound.
inline constexpr double kWaitsBelow = 0.05;

/// The evidence for what sets the time of a pass or of a whole step (see `Bound`). All is
/// empty on a CPU.
struct TimeBound {
  std::optional<LaunchCosts> costs = {};  ///< Empty if the time was not profiled.
  /// How long the GPU still works after the CPU's last launch / the GPU's time, median of the
  /// steps. One value for each pass of the time, and none if it was profiled.
  std::vector<double> lag_shares = {};
  /// The pass's time in whole steps / its time alone, if that was not profiled. In whole steps its
  /// launches queue up while the GPU still computes earlier passes, and kernels fill no more.
  std::optional<double> queued_share = {};

  /// A whole step without a profile is mixed if some of its passes are launch-bound.
  std::optional<Bound> bound() const;
};

/// The bounds of a network's times as its report tells them: those of passes that are synchronized
/// one by one, and that of a whole step of the longest mode that ran.
struct NetworkBounds {
  TimeBound forward = {}, backward = {}, optimizer = {}, step = {};

  /// Launch-bound or GPU-bound if forward, backward and step all are, as far as they ran; mixed
  /// otherwise. The optimizer has no say.
  std::optional<Bound> bound() const;
  /// True if the bounds of these times all come from profiles. A mixed network without profiles may
  /// have other times that the CPU sets, which nothing proves.
  bool is_profiled() const;
};
NetworkBounds network_bounds(const RunView& view, const TimingGroup& group);

/// Returns what sets the time of a step whose launches were not profiled, by the GPU's lag behind
/// the CPU when the step ends: below `kWaitsBelow` of its last phase the step is mixed, because
/// earlier phases may still be the GPU's. Returns nothing if the lag was not recorded.
std::optional<Bound> bound_at_end(const TimedLaunch& step);

}  // namespace labreport
