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

/// Returns the name of the metric that a runtime call adds to; empty for a wait for the device.
std::string_view purpose_of(const TraceEvent& event) {
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
    std::int64_t sum_ns = 0;
    auto call = std::ranges::lower_bound(calls_, outer.start_ns, {}, &TraceEvent::start_ns);
    for (; call != calls_.end() && (*call)->end_ns() <= outer.end_ns(); ++call) {
      const std::string_view purpose = purpose_of(**call);
      if (purpose == metric::kAllocation || purpose == metric::kLaunchCalls)
        sum_ns += (*call)->duration_ns;
    }
    return sum_ns;
  }

 private:
  std::vector<const TraceEvent*> calls_;
};

/// A call of an operator that launched kernels.
struct LaunchingCall {
  const TraceEvent* call;
  std::int64_t net_ns;   ///< The call's time without allocations and launches.
  bool is_first_launch;  ///< One of its kernels runs for the first time in the process.
};

std::vector<LaunchingCall> launching_calls(const Trace& trace) {
  const CallTree tree(trace);
  const RuntimeCalls runtime(trace);
  std::set<std::string> seen_kernels;
  std::map<const TraceEvent*, std::size_t> indices;
  std::vector<LaunchingCall> found;
  for (const TraceEvent& event : trace) {
    const TraceEvent* call = on_device(event) ? tree.launcher(event) : nullptr;
    if (call == nullptr || launches_graph(*call)) continue;
    const auto [index, is_first] = indices.emplace(call, found.size());
    if (is_first) {
      found.push_back({call, call->duration_ns - runtime.allocation_and_launch_ns(*call), false});
    }
    if (seen_kernels.insert(event.name).second) found[index->second].is_first_launch = true;
  }
  return found;
}

}  // namespace

std::vector<Metric> runtime_metrics(const Trace& trace) {
  std::map<std::string_view, std::int64_t> sums_ns{
      {metric::kAllocation, 0}, {metric::kLaunchCalls, 0}, {metric::kOtherCalls, 0}};
  for (const TraceEvent& event : trace) {
    const std::string_view purpose = event.kind == TraceKind::kRuntime ? purpose_of(event) : "";
    if (!purpose.empty()) sums_ns[purpose] += event.duration_ns;
  }
  std::vector<Metric> metrics;
  for (const auto& [purpose, sum] : sums_ns)
    metrics.push_back(integer_metric(metric::kRuntime, purpose, "ns", sum));
  return metrics;
}

std::vector<Metric> first_launch_metrics(const Trace& trace) {
  const std::vector<LaunchingCall> all = launching_calls(trace);
  std::map<std::string, std::int64_t> shortest_ns;  // by operator, of calls without a new kernel
  for (const auto& [call, net_ns, is_first_launch] : all) {
    if (is_first_launch) continue;
    const auto [shortest, is_new] = shortest_ns.emplace(call->name, net_ns);
    shortest->second = std::min(shortest->second, net_ns);
  }
  std::int64_t code_loading_ns = 0, matrix_library_ns = 0;
  for (const auto& [call, net_ns, is_first_launch] : all) {
    const std::int64_t extra_ns =
        is_first_launch ? std::max<std::int64_t>(0, net_ns - shortest_ns[call->name]) : 0;
    (is_matrix_product(call->name) ? matrix_library_ns : code_loading_ns) += extra_ns;
  }
  return {integer_metric(metric::kFirstLaunches, metric::kCodeLoading, "ns", code_loading_ns),
          integer_metric(metric::kFirstLaunches, metric::kCublasSetup, "ns", matrix_library_ns)};
}

}  // namespace labreport
