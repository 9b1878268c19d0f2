// Tells what sets a measured time: the CPU's launches or the GPU's kernels.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "experiments/common/launch_costs.h"
#include "experiments/common/timing.h"

namespace labreport {

/// A time that was not profiled is launch-bound if, after the CPU's last launch, the GPU needs less
/// than this share of the time to finish it. Otherwise it counts as GPU-bound.
inline constexpr double kWaitsBelow = 0.05;

/// The evidence for what sets the mean time of a pass or of a whole step (see `Bound`). All is
/// empty on a CPU.
struct TimeBound {
  std::optional<LaunchCosts> costs = {};  ///< Empty if the time was not profiled.
  /// How long the GPU still works after the CPU's last launch / the GPU's time, median of the
  /// steps. One value for each pass of the time, and none if it was profiled.
  std::vector<double> lag_shares = {};

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
};
NetworkBounds network_bounds(const RunView& view, const TimingGroup& group);

}  // namespace labreport
