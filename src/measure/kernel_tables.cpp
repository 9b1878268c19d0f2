#include "measure/kernel_tables.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "base/statistics.h"
#include "measure/kernel_class.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

/// The attention whose kernels are shown one by one: the second layer's, past the first's start.
constexpr std::string_view kShownLayer = "layers.1/attn";

class Names {
 public:
  std::int64_t id(const std::string& name) {
    const auto [found, fresh] = ids_.emplace(name, std::int64_t(table_.rows.size()));
    if (fresh) table_.rows.push_back({found->second, name});
    return found->second;
  }
  Table take() { return std::move(table_); }

 private:
  std::map<std::string, std::int64_t> ids_;
  Table table_{std::string(metric::kKernelNames), {{"id", ""}, {"name", ""}}, {}};
};

/// "layers.3/attn/q_proj" → "layers/attn/q_proj"
std::string without_layer(const std::string& module) {
  const auto end = std::min(module.find('/'), module.size());
  const auto dot = module.find('.');
  if (dot >= end) return module;
  return module.substr(0, dot) + module.substr(end);
}

/// The longest activity of each call of an operator: a GEMM beside its helpers.
std::map<std::uint64_t, const TraceEvent*> longest_of_calls(
    const std::vector<Attributed>& kernels) {
  std::map<std::uint64_t, const TraceEvent*> longest;
  for (const Attributed& kernel : kernels) {
    const TraceEvent*& known = longest[kernel.activity->linked];
    if (known == nullptr || kernel.activity->duration_ns > known->duration_ns) {
      known = kernel.activity;
    }
  }
  return longest;
}

class Classes {
 public:
  explicit Classes(const std::vector<Attributed>& kernels) : longest_(longest_of_calls(kernels)) {}

  std::string of(const Attributed& kernel) const {
    const bool host = !on_device(*kernel.activity);
    const bool longest = host || longest_.at(kernel.activity->linked) == kernel.activity;
    return std::string(kernel_class(kernel, longest));
  }

 private:
  std::map<std::uint64_t, const TraceEvent*> longest_;
};

using Key = std::tuple<std::string, std::string, std::string, std::string, std::string,
                       std::int64_t>;  // phase, module, operation, operator, class, kernel

std::vector<Scalar> row_of(const Key& key, std::vector<double> durations) {
  const Summary summary = summarize(durations);
  double total = 0;
  for (const double duration : durations) total += duration;
  const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
  const auto& [phase, module, operation, op, kind, kernel] = key;
  return {phase,
          module,
          operation,
          op,
          kind,
          kernel,
          static_cast<std::int64_t>(durations.size()),
          whole(total),
          whole(summary.min),
          whole(summary.median),
          whole(summary.max),
          summary.stddev};
}

Table aggregated(const std::vector<Attributed>& kernels, const Classes& classes, Names& names) {
  std::map<Key, std::vector<double>> groups;
  for (const Attributed& kernel : kernels) {
    groups[{kernel.phase, without_layer(kernel.module), kernel.operation, kernel.op,
            classes.of(kernel), names.id(kernel.activity->name)}]
        .push_back(static_cast<double>(kernel.activity->duration_ns));
  }
  Table table{std::string(metric::kKernels), {}, {}};
  for (const char* column : {"phase", "module", "operation", "operator", "class", "kernel"}) {
    table.columns.push_back({column, ""});
  }
  table.columns.push_back({"instances", "1"});
  for (const char* column : {"total_ns", "min_ns", "median_ns", "max_ns", "stddev_ns"}) {
    table.columns.push_back({column, "ns"});
  }
  for (const auto& [key, durations] : groups) table.rows.push_back(row_of(key, durations));
  return table;
}

Table layer_table(const std::vector<Attributed>& kernels, const Classes& classes, Names& names) {
  Table table{std::string(metric::kLayer),
              {{"start_ns", "ns"},
               {"duration_ns", "ns"},
               {"kernel", ""},
               {"module", ""},
               {"operation", ""},
               {"class", ""}},
              {}};
  std::int64_t origin = -1;
  for (const Attributed& kernel : kernels) {
    if (kernel.phase != metric::kForward || !kernel.module.starts_with(kShownLayer)) continue;
    if (origin < 0) origin = kernel.activity->start_ns;
    table.rows.push_back({kernel.activity->start_ns - origin, kernel.activity->duration_ns,
                          names.id(kernel.activity->name), without_layer(kernel.module),
                          kernel.operation, classes.of(kernel)});
  }
  return table;
}

struct Activity {
  std::int64_t span = 0;
  std::int64_t busy = 0;
  std::int64_t unattributed = 0;
};

/// `kernels` are in order of their start, so that overlaps can be merged in one pass.
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

std::string_view purpose(const TraceEvent& event) {
  const std::string& name = event.name;
  if (event.kind == TraceKind::kOverhead) {
    return name.find("Loading") == std::string::npos ? "" : metric::kModuleLoading;
  }
  if (name.starts_with("cudaMalloc") || name.starts_with("cuMem")) return metric::kAllocation;
  if (name.find("Launch") != std::string::npos) return metric::kLaunchCalls;
  return name.find("Synchronize") == std::string::npos ? metric::kOtherCalls : "";
}

Metric time_metric(std::string_view tag, std::string_view name, std::int64_t value) {
  return integer_metric(std::string(tag), std::string(name), "ns", value);
}

}  // namespace

std::vector<Table> kernel_tables(const std::vector<Attributed>& kernels) {
  const Classes classes(kernels);
  Names names;
  Table rows = aggregated(kernels, classes, names);
  Table layer = layer_table(kernels, classes, names);
  return {names.take(), std::move(rows), std::move(layer)};
}

std::vector<Metric> activity_metrics(const std::vector<Attributed>& kernels) {
  const Activity found = activity_of(kernels);
  std::map<std::string, std::int64_t> phases;
  for (const Attributed& kernel : kernels) {
    if (!kernel.phase.empty()) phases[kernel.phase] += kernel.activity->duration_ns;
  }
  std::vector<Metric> metrics{
      time_metric(metric::kProfile, metric::kSpan, found.span),
      time_metric(metric::kProfile, metric::kBusy, found.busy),
      time_metric(metric::kProfile, metric::kUnattributed, found.unattributed),
      integer_metric(std::string(metric::kProfile), std::string(metric::kKernels), "1",
                     static_cast<std::int64_t>(kernels.size()))};
  for (const auto& [phase, sum] : phases) {
    metrics.push_back(time_metric(metric::kBusy, phase, sum));
  }
  return metrics;
}

std::vector<Metric> runtime_metrics(const Trace& trace) {
  std::map<std::string_view, std::int64_t> sums{{metric::kModuleLoading, 0},
                                                {metric::kAllocation, 0},
                                                {metric::kLaunchCalls, 0},
                                                {metric::kOtherCalls, 0}};
  for (const TraceEvent& event : trace) {
    if (event.kind != TraceKind::kRuntime && event.kind != TraceKind::kOverhead) continue;
    const std::string_view what = purpose(event);
    if (!what.empty()) sums[what] += event.duration_ns;
  }
  std::vector<Metric> metrics;
  for (const auto& [what, sum] : sums) metrics.push_back(time_metric(metric::kRuntime, what, sum));
  return metrics;
}

}  // namespace labreport
