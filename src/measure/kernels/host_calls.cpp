#include "measure/kernels/host_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "measure/kernels/call_tree.h"
#include "measure/kernels/kernel_class.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

std::string_view purpose(const TraceEvent& event) {
  const std::string& name = event.name;
  if (name.starts_with("cudaMalloc") || name.starts_with("cuMem")) return metric::kAllocation;
  if (name.find("Launch") != std::string::npos) return metric::kLaunchCalls;
  return name.find("Synchronize") == std::string::npos ? metric::kOtherCalls : "";
}

/// The calls of the device's runtime, in order of start.
class RuntimeCalls {
 public:
  explicit RuntimeCalls(const Trace& trace) {
    for (const TraceEvent& event : trace) {
      if (event.kind == TraceKind::kRuntime) calls_.push_back(&event);
    }
  }

  /// Returns the host time of the runtime calls inside `outer` that allocate or launch.
  std::int64_t allocation_and_launch_ns(const TraceEvent& outer) const {
    std::int64_t sum = 0;
    auto call = std::ranges::lower_bound(calls_, outer.start_ns, {}, &TraceEvent::start_ns);
    for (; call != calls_.end() && (*call)->end_ns() <= outer.end_ns(); ++call) {
      const std::string_view what = purpose(**call);
      if (what == metric::kAllocation || what == metric::kLaunchCalls) sum += (*call)->duration_ns;
    }
    return sum;
  }

 private:
  std::vector<const TraceEvent*> calls_;
};

/// A call of an operator that launched kernels.
struct Launcher {
  const TraceEvent* call;
  std::int64_t own_ns;  ///< The call's time without allocations and launches.
  bool fresh;           ///< One of its kernels ran for the first time in the process.
};

std::vector<Launcher> launchers(const Trace& trace) {
  const CallTree tree(trace);
  const RuntimeCalls calls(trace);
  std::set<std::string> known;
  std::map<const TraceEvent*, std::size_t> places;
  std::vector<Launcher> found;
  for (const TraceEvent& event : trace) {
    const TraceEvent* call = on_device(event) ? tree.by_correlation(event.linked) : nullptr;
    if (call == nullptr) continue;
    const auto [place, first] = places.emplace(call, found.size());
    if (first) {
      found.push_back({call, call->duration_ns - calls.allocation_and_launch_ns(*call), false});
    }
    if (known.insert(event.name).second) found[place->second].fresh = true;
  }
  return found;
}

}  // namespace

std::vector<Metric> runtime_metrics(const Trace& trace) {
  std::map<std::string_view, std::int64_t> sums{
      {metric::kAllocation, 0}, {metric::kLaunchCalls, 0}, {metric::kOtherCalls, 0}};
  for (const TraceEvent& event : trace) {
    const std::string_view what = event.kind == TraceKind::kRuntime ? purpose(event) : "";
    if (!what.empty()) sums[what] += event.duration_ns;
  }
  std::vector<Metric> metrics;
  for (const auto& [what, sum] : sums)
    metrics.push_back(integer_metric(metric::kRuntime, what, "ns", sum));
  return metrics;
}

std::vector<Metric> first_launch_metrics(const Trace& trace) {
  const std::vector<Launcher> all = launchers(trace);
  std::map<std::string, std::int64_t> usual;  // each operator's shortest call without new kernels
  for (const auto& [call, own_ns, fresh] : all) {
    if (fresh) continue;
    const auto [known, first] = usual.emplace(call->name, own_ns);
    known->second = std::min(known->second, own_ns);
  }
  std::int64_t code = 0;
  std::int64_t library = 0;
  for (const auto& [call, own_ns, fresh] : all) {
    const std::int64_t more = fresh ? std::max<std::int64_t>(0, own_ns - usual[call->name]) : 0;
    (is_matrix_product(call->name) ? library : code) += more;
  }
  return {integer_metric(metric::kFirstLaunches, metric::kCodeLoading, "ns", code),
          integer_metric(metric::kFirstLaunches, metric::kMatrixLibrary, "ns", library)};
}

}  // namespace labreport
