#include "measure/kernels/kernel_tables.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "base/statistics.h"
#include "measure/kernels/kernel_class.h"
#include "results/metric_names.h"
#include "results/module_path.h"
#include "results/table_shapes.h"

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
  Table table_ = shape::kernel_names();
};

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
  Table table = shape::kernels();
  for (const auto& [key, durations] : groups) table.rows.push_back(row_of(key, durations));
  return table;
}

Table layer_table(const std::vector<Attributed>& kernels, const Classes& classes, Names& names) {
  Table table = shape::layer();
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

}  // namespace

std::vector<Table> kernel_tables(const std::vector<Attributed>& kernels) {
  const Classes classes(kernels);
  Names names;
  Table rows = aggregated(kernels, classes, names);
  Table layer = layer_table(kernels, classes, names);
  return {names.take(), std::move(rows), std::move(layer)};
}

}  // namespace labreport
