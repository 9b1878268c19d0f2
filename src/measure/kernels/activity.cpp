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

std::vector<Metric> activity_metrics(const std::vector<Attribution>& kernels) {
  std::int64_t busy_ns = 0, unattributed_ns = 0, end_ns = 0;
  std::map<std::string, std::int64_t> phase_sums_ns;
  for (const Attribution& kernel : kernels) {
    const TraceEvent& event = *kernel.activity;
    busy_ns += std::max<std::int64_t>(0, event.end_ns() - std::max(end_ns, event.start_ns));
    end_ns = std::max(end_ns, event.end_ns());
    (kernel.phase.empty() ? unattributed_ns : phase_sums_ns[kernel.phase]) += event.duration_ns;
  }
  const std::int64_t span_ns = kernels.empty() ? 0 : end_ns - kernels.front().activity->start_ns;
  std::vector<Metric> metrics{
      integer_metric(metric::kProfile, metric::kSpan, "ns", span_ns),
      integer_metric(metric::kProfile, metric::kBusy, "ns", busy_ns),
      integer_metric(metric::kProfile, metric::kUnattributed, "ns", unattributed_ns),
      integer_metric(metric::kProfile, metric::kKernels, "1", std::ssize(kernels))};
  for (const auto& [phase, sum_ns] : phase_sums_ns) {
    metrics.push_back(integer_metric(metric::kBusy, phase, "ns", sum_ns));
  }
  return metrics;
}

}  // namespace labreport
