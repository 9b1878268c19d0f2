#include "measure/kernels/kernel_tables.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
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

class Classes {
 public:
  explicit Classes(const std::vector<Attributed>& kernels) {
    for (const Attributed& kernel : kernels) {
      const TraceEvent*& longest = longest_[kernel.activity->linked];
      if (longest == nullptr || kernel.activity->duration_ns > longest->duration_ns) {
        longest = kernel.activity;
      }
    }
  }

  std::string of(const Attributed& kernel) const {
    const bool host = !on_device(*kernel.activity);
    const bool longest = host || longest_.at(kernel.activity->linked) == kernel.activity;
    return std::string(kernel_class(kernel, longest));
  }

 private:
  /// The longest activity of each operator's call, by correlation: a GEMM rather than its helpers.
  std::map<std::uint64_t, const TraceEvent*> longest_;
};

/// Phase, module, operation, operator, class, number of the kernel's name.
using Key =
    std::tuple<std::string, std::string, std::string, std::string, std::string, std::int64_t>;

/// Returns one row for each distinct key, in order of the keys.
Table kernel_sums(const std::vector<Attributed>& kernels, const std::vector<Key>& keys) {
  std::map<Key, std::vector<double>> groups;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    groups[keys[i]].push_back(static_cast<double>(kernels[i].activity->duration_ns));
  }
  const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
  Table table = shape::kernels();
  for (const auto& [key, durations] : groups) {
    const auto& [phase, module, operation, op, kind, kernel] = key;
    const Summary summary = summarize(durations);
    const double total = std::accumulate(durations.begin(), durations.end(), 0.0);
    table.rows.push_back({phase, module, operation, op, kind, kernel, std::ssize(durations),
                          whole(total), whole(summary.min), whole(summary.median),
                          whole(summary.max), summary.stddev});
  }
  return table;
}

/// Returns one row for each kernel, with the number of the kernel's row in kernel_sums().
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
  const Classes classes(kernels);
  Names names;
  std::vector<Key> keys;
  for (const Attributed& kernel : kernels) {
    keys.push_back({kernel.phase, without_layer(kernel.module), kernel.operation, kernel.op,
                    classes.of(kernel), names.id(kernel.activity->name)});
  }
  std::vector<Table> tables{names.take(), kernel_sums(kernels, keys)};
  if (each && !kernels.empty() && kernels.size() <= kMaxTraceRows) {
    tables.push_back(gpu_trace(kernels, keys));
  }
  return tables;
}

}  // namespace labreport
