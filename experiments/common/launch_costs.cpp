#include "experiments/common/launch_costs.h"

#include <algorithm>

#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

double launch_count(const Launch& profile, std::string_view phase) {
  double launches = 0;
  for (const MeasuredRow& row : measured_rows(profile, metric::kKernels)) {
    if (row.text(column::kPhase) == phase) launches += row.number(column::kInstances).value_or(0);
  }
  return launches;
}

}  // namespace

std::string_view describe(Bound bound) {
  if (bound == Bound::kMixed) return "mixed";
  return bound == Bound::kLaunch ? "launch-bound" : "GPU-bound";
}

double LaunchCosts::kernel_share() const { return std::min(1.0, kernels_ms / time_ms); }

double LaunchCosts::mean_kernel_us() const {
  return kernels_ms * kMicrosecondsPerMillisecond / launches;
}

Bound LaunchCosts::bound() const {
  return kernel_share() < kLaunchBoundBelow ? Bound::kLaunch
         : kernel_share() < kGpuBoundFrom   ? Bound::kMixed
                                            : Bound::kDevice;
}

std::optional<double> LaunchCosts::gpu_idle_us() const {
  if (bound() != Bound::kDevice || kernels_ms > time_ms) return std::nullopt;
  return (time_ms - kernels_ms) * kMicrosecondsPerMillisecond / launches;
}

std::optional<double> LaunchCosts::cpu_us() const {
  if (bound() != Bound::kLaunch) return std::nullopt;
  return time_ms * kMicrosecondsPerMillisecond / launches;
}

std::vector<std::string_view> phases_of(Mode mode) {
  std::vector<std::string_view> phases{metric::kForward};
  if (mode >= Mode::kForwardBackward) {
    phases.push_back(metric::kLoss);
    phases.push_back(metric::kBackward);
  }
  if (mode >= Mode::kTrainStep) phases.push_back(metric::kOptimizer);
  return phases;
}

std::vector<std::string_view> phases_of(Mode mode, const Launch& timed) {
  if (timed.find(metric::kEvent, metric::kOther) == nullptr) return phases_of(mode);
  std::vector<std::string_view> phases;
  for (const Metric& metric : timed.metrics) {
    if (metric.tag == metric::kEvent) phases.push_back(metric.name);
  }
  return phases;
}

bool waits_for_gpu(const Launch& timed) {
  return timed.number(metric::kOccurrences, metric::kSynchronizations).value_or(0) > 0;
}

std::optional<LaunchCosts> launch_costs(const Launch& profile,
                                        const std::vector<std::string_view>& phases,
                                        const std::vector<double>& times_ms) {
  if (times_ms.empty() || median(times_ms) <= 0) return std::nullopt;
  LaunchCosts costs{.time_ms = median(times_ms)};
  for (const auto phase : phases) {
    const auto kernels_ms = single_milliseconds(profile, metric::kBusy, phase);
    const double launches = launch_count(profile, phase);
    if (phase == metric::kOther && launches < 1) continue;
    if (!kernels_ms || launches < 1) return std::nullopt;
    costs.kernels_ms += *kernels_ms;
    costs.launches += launches;
  }
  return costs.launches > 0 ? std::optional(costs) : std::nullopt;
}

}  // namespace labreport
