#include "measure/kernels/activity.h"

#include <algorithm>
#include <map>

#include "results/metric_names.h"

namespace labreport {
std::string reason_without_kernels(DeviceKind device, const Trace& trace) {
  if (device == DeviceKind::kCpu || std::ranges::any_of(trace, on_device)) return "";
  return "the profiler saw no kernel: CUPTI is missing, used by another profiler, or the driver "
         "keeps it to administrators (NVreg_RestrictProfilingToAdminUsers)";
}

std::vector<Metric> activity_metrics(const std::vector<Attributed>& kernels) {
  std::int64_t busy = 0, unattributed = 0, end = 0;
  std::map<std::string, std::int64_t> phases;
  for (const Attributed& kernel : kernels) {
    const TraceEvent& event = *kernel.activity;
    busy += std::max<std::int64_t>(0, event.end_ns() - std::max(end, event.start_ns));
    end = std::max(end, event.end_ns());
    (kernel.phase.empty() ? unattributed : phases[kernel.phase]) += event.duration_ns;
  }
  const std::int64_t span = kernels.empty() ? 0 : end - kernels.front().activity->start_ns;
  std::vector<Metric> metrics{
      integer_metric(metric::kProfile, metric::kSpan, "ns", span),
      integer_metric(metric::kProfile, metric::kBusy, "ns", busy),
      integer_metric(metric::kProfile, metric::kUnattributed, "ns", unattributed),
      integer_metric(metric::kProfile, metric::kKernels, "1", std::ssize(kernels))};
  for (const auto& [phase, sum] : phases) {
    metrics.push_back(integer_metric(metric::kBusy, phase, "ns", sum));
  }
  return metrics;
}

}  // namespace labreport
