#include "measure/kernels/activity.h"

#include <algorithm>
#include <map>

#include "results/metric_names.h"

namespace labreport {
namespace {

struct Activity {
  std::int64_t span = 0;
  std::int64_t busy = 0;
  std::int64_t unattributed = 0;
};

/// Needs `kernels` in order of start, so that overlaps can be merged in one pass.
Activity activity_of(const std::vector<Attributed>& kernels) {
  Activity found;
  std::int64_t end = 0;
  for (const Attributed& kernel : kernels) {
    const TraceEvent& event = *kernel.activity;
    found.busy += std::max<std::int64_t>(0, event.end_ns() - std::max(end, event.start_ns));
    end = std::max(end, event.end_ns());
    if (kernel.phase.empty()) found.unattributed += event.duration_ns;
  }
  if (!kernels.empty()) found.span = end - kernels.front().activity->start_ns;
  return found;
}

}  // namespace

std::string reason_without_kernels(DeviceKind device, const Trace& trace) {
  if (device == DeviceKind::kCpu || std::ranges::any_of(trace, on_device)) return "";
  return "the profiler saw no kernel: CUPTI is missing, used by another profiler, or the driver "
         "keeps it to administrators (NVreg_RestrictProfilingToAdminUsers)";
}

std::vector<Metric> activity_metrics(const std::vector<Attributed>& kernels) {
  const Activity found = activity_of(kernels);
  std::map<std::string, std::int64_t> phases;
  for (const Attributed& kernel : kernels) {
    if (!kernel.phase.empty()) phases[kernel.phase] += kernel.activity->duration_ns;
  }
  std::vector<Metric> metrics{
      integer_metric(metric::kProfile, metric::kSpan, "ns", found.span),
      integer_metric(metric::kProfile, metric::kBusy, "ns", found.busy),
      integer_metric(metric::kProfile, metric::kUnattributed, "ns", found.unattributed),
      integer_metric(metric::kProfile, metric::kKernels, "1",
                     static_cast<std::int64_t>(kernels.size()))};
  for (const auto& [phase, sum] : phases) {
    metrics.push_back(integer_metric(metric::kBusy, phase, "ns", sum));
  }
  return metrics;
}

}  // namespace labreport
