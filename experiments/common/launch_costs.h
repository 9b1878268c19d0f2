// Computes what a kernel launch costs: idle time of the GPU, or time of the CPU.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "document/view.h"

namespace labreport {

inline constexpr double kMicrosecondsPerMillisecond = 1e3;

/// The CPU or the GPU sets a time. Every report and page tells which by this one definition: if
/// kernels fill less than `kLaunchBoundBelow` of a time, the CPU sets it, and the time is
/// launch-bound: its mean kernel is shorter than a launch takes the CPU. If kernels fill
/// `kGpuBoundFrom` or more, the GPU sets it. Between the two, it is mixed.
enum class Bound { kLaunch, kMixed, kDevice };
inline constexpr double kLaunchBoundBelow = 0.8, kGpuBoundFrom = 0.9;
std::string_view describe(Bound bound);  ///< "launch-bound", "mixed", "GPU-bound"

/// The launches of a pass or of a whole step on a GPU, and the time that they take. A launch starts
/// a kernel, a copy or a memset; all three count as kernels.
struct LaunchCosts {
  double launches = 0;    ///< Launches of one profiled step, at least 1 (table `kernels`).
  double kernels_ms = 0;  ///< The sum of their durations on the GPU (metrics of tag `busy`).
  double time_ms = 0;     ///< The median time of steps without the profiler, above 0.

  double kernel_share() const;    ///< `kernels_ms` / `time_ms`, at most 1.
  double mean_kernel_us() const;  ///< `kernels_ms` / `launches`, in µs.
  Bound bound() const;
  /// The GPU's idle time a kernel, (`time_ms` - `kernels_ms`) / `launches`, in µs. Empty unless the
  /// GPU sets the time, and if the profiled step's kernels took longer than it.
  std::optional<double> gpu_idle_us() const;
  /// The CPU's time a launch, `time_ms` / `launches`, in µs. Empty unless the CPU sets the time.
  std::optional<double> cpu_us() const;
};

/// Returns the phases of a step of this mode, in their order.
std::vector<std::string_view> phases_of(Mode mode);

/// Returns the phases that `timed` measured if it ran a step of the user's, else those of the mode.
std::vector<std::string_view> phases_of(Mode mode, const Launch& timed);

/// Returns true for a step of the user's that waits for the GPU. The time that the CPU takes to
/// enqueue it then does not tell what sets the step's time.
bool waits_for_gpu(const Launch& timed);

/// Returns the launches of these phases of a step that `profile` recorded on a GPU. `times_ms` are
/// the same phases' times without the profiler; their median tells what sets them, so that one
/// stalled step does not. Returns nothing if there are no times above 0, or
/// if a phase has no kernels or was not profiled.
std::optional<LaunchCosts> launch_costs(const Launch& profile,
                                        const std::vector<std::string_view>& phases,
                                        const std::vector<double>& times_ms);

}  // namespace labreport
