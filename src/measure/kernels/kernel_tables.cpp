#include "measure/kernels/kernel_tables.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "base/statistics.h"
#include "measure/kernels/kernel_class.h"
#include "results/bounds.h"
#include "results/metric_names.h"
#include "results/module_path.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

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

/// Returns the longest activity of each operator call: a GEMM rather than its helpers.
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
                       // The fields are phase, module, operation, operator, class, kernel.
                       std::int64_t>;

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

std::vector<Key> keys_of(const std::vector<Attributed>& kernels, Names& names) {
  const Classes classes(kernels);
  std::vector<Key> keys;
  for (const Attributed& kernel : kernels) {
    keys.push_back({kernel.phase, without_layer(kernel.module), kernel.operation, kernel.op,
                    classes.of(kernel), names.id(kernel.activity->name)});
  }
  return keys;
}

Table aggregated(const std::vector<Attributed>& kernels, const std::vector<Key>& keys) {
  std::map<Key, std::vector<double>> groups;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    groups[keys[i]].push_back(static_cast<double>(kernels[i].activity->duration_ns));
  }
  Table table = shape::kernels();
  for (const auto& [key, durations] : groups) table.rows.push_back(row_of(key, durations));
  return table;
}

/// Each kernel refers to its row of the aggregated table, which is in the order of `keys`.
Table gpu_trace(const std::vector<Attributed>& kernels, const std::vector<Key>& keys) {
  std::map<Key, std::int64_t> rows;
  for (const Key& key : keys) rows.emplace(key, 0);
  std::int64_t number = 0;
  for (auto& [key, row] : rows) row = number++;
  Table table = shape::gpu_trace();
  const TraceEvent* before = kernels.front().activity;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const TraceEvent* event = kernels[i].activity;
    const auto block = layer_number(kernels[i].module);
    table.rows.push_back({event->start_ns - before->start_ns, event->duration_ns, rows.at(keys[i]),
                          block ? Scalar(*block) : Scalar()});
    before = event;
  }
  return table;
}

}  // namespace

std::vector<Table> kernel_tables(const std::vector<Attributed>& kernels, bool each) {
  Names names;
  const std::vector<Key> keys = keys_of(kernels, names);
  std::vector<Table> tables{names.take(), aggregated(kernels, keys)};
  const bool held = !kernels.empty() && kernels.size() <= kMostTraced;
  if (each && held) tables.push_back(gpu_trace(kernels, keys));
  return tables;
}

}  // namespace labreport
