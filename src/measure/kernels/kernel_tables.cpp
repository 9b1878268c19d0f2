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

class NameTable {
 public:
  std::int64_t id(const std::string& name) {
    const auto [found, is_new] = ids_.emplace(name, std::int64_t(table_.rows.size()));
    if (is_new) table_.rows.push_back({found->second, name});
    return found->second;
  }
  Table take() { return std::move(table_); }

 private:
  std::map<std::string, std::int64_t> ids_;
  Table table_ = empty_table(metric::kKernelNames);
};

class KernelClasses {
 public:
  explicit KernelClasses(const std::vector<Attribution>& kernels) {
    for (const Attribution& kernel : kernels) {
      const TraceEvent*& longest = longest_[kernel.activity->launched_by];
      if (longest == nullptr || kernel.activity->duration_ns > longest->duration_ns) {
        longest = kernel.activity;
      }
    }
  }

  std::string class_of(const Attribution& kernel) const {
    // On a CPU an operator takes the place of its kernels.
    const bool is_longest = !on_device(*kernel.activity) ||
                            longest_.at(kernel.activity->launched_by) == kernel.activity;
    return std::string(kernel_class(kernel, is_longest));
  }

 private:
  /// The longest activity of each operator's call, by correlation: a GEMM rather than its helpers.
  std::map<std::uint64_t, const TraceEvent*> longest_;
};

/// Phase, module, operation, operator, class, id of the kernel's name.
using KernelKey =
    std::tuple<std::string, std::string, std::string, std::string, std::string, std::int64_t>;

/// Returns one row for each distinct key, in order of the keys.
Table kernel_sums(const std::vector<Attribution>& kernels, const std::vector<KernelKey>& keys) {
  std::map<KernelKey, std::vector<double>> durations_by_key;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    durations_by_key[keys[i]].push_back(static_cast<double>(kernels[i].activity->duration_ns));
  }
  const auto integer = [](double value) { return static_cast<std::int64_t>(value); };
  Table table = empty_table(metric::kKernels);
  for (const auto& [key, durations] : durations_by_key) {
    const auto& [phase, module, operation, op, kernel_class_name, name_id] = key;
    const Summary summary = summarize(durations);
    const double total = std::accumulate(durations.begin(), durations.end(), 0.0);
    table.rows.push_back({phase, module, operation, op, kernel_class_name, name_id,
                          std::ssize(durations), integer(total), integer(summary.min),
                          integer(summary.median), integer(summary.max), summary.stddev});
  }
  return table;
}

/// Returns one row for each kernel, with the index of its key's row in kernel_sums().
Table gpu_trace(const std::vector<Attribution>& kernels, const std::vector<KernelKey>& keys) {
  std::map<KernelKey, std::int64_t> sum_rows;
  for (const KernelKey& key : keys) sum_rows.emplace(key, 0);
  std::int64_t next_row = 0;
  for (auto& [key, row] : sum_rows) row = next_row++;
  Table table = empty_table(metric::kGpuTrace);
  const TraceEvent* previous = kernels.front().activity;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const TraceEvent* event = kernels[i].activity;
    const auto layer = layer_number(kernels[i].module);
    table.rows.push_back({event->start_ns - previous->start_ns, event->duration_ns,
                          sum_rows.at(keys[i]), layer ? Scalar(*layer) : Scalar()});
    previous = event;
  }
  return table;
}

}  // namespace

std::vector<Table> kernel_tables(const std::vector<Attribution>& kernels, bool with_gpu_trace) {
  const KernelClasses classes(kernels);
  NameTable names;
  std::vector<KernelKey> keys;
  for (const Attribution& kernel : kernels) {
    keys.push_back({kernel.phase, without_layer(kernel.module), kernel.outer_op, kernel.inner_op,
                    classes.class_of(kernel), names.id(kernel.activity->name)});
  }
  std::vector<Table> tables{names.take(), kernel_sums(kernels, keys)};
  if (with_gpu_trace && !kernels.empty() && kernels.size() <= kMaxTraceRows) {
    tables.push_back(gpu_trace(kernels, keys));
  }
  return tables;
}

}  // namespace labreport
