// Writes the tables of a profiled step like a worker.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/metric_names.h"
#include "results/run.h"
#include "results/table_shapes.h"

namespace labreport {

/// A kernel of the forward pass.
struct FakeKernel {
  const char* module;
  const char* outer_op;
  const char* inner_op;
  const char* kind;
  const char* name;
  double calls;  ///< The number of calls in one forward pass.
  double ns;     ///< The time of one call.
};

namespace fake_kernel {

/// The tables of one profiled step. On a CPU, operators take the place of kernels.
class KernelTables {
 public:
  explicit KernelTables(bool on_gpu) : on_gpu_(on_gpu) {}

  /// Adds a kernel to a phase. The factors scale its calls and time in forward. If its module is in
  /// the layers, the calls are divided among `layers` layers.
  void add(std::string_view phase, const FakeKernel& kernel, double call_factor, double time_factor,
           std::int64_t layers = 0) {
    const auto calls = static_cast<std::int64_t>(kernel.calls * call_factor);
    const auto call_ns = static_cast<std::int64_t>(kernel.ns * time_factor) + 1000;
    kernels_.rows.push_back({std::string(phase), std::string(kernel.module),
                             std::string(kernel.outer_op), std::string(kernel.inner_op),
                             std::string(kernel.kind), id(kernel), calls, calls * call_ns,
                             call_ns - call_ns / 50, call_ns, call_ns + call_ns / 50,
                             static_cast<double>(call_ns) / 100});
    phase_ns_[std::string(phase)] += calls * call_ns;
    call_count_ += calls;
    const bool in_layers = layers > 0 && std::string_view(kernel.module).starts_with("layers");
    traced_.push_back({std::string(phase), calls / (in_layers ? layers : 1), call_ns,
                       in_layers ? layers : std::int64_t{0}});
  }

  /// Lists kernels phase by phase: first those outside the layers, then layer by layer.
  Table gpu_trace() const {
    Table trace = empty_table(metric::kGpuTrace);
    for (std::size_t first = 0; first < traced_.size();) {
      const auto last = static_cast<std::size_t>(
          std::find_if(
              traced_.begin() + static_cast<std::ptrdiff_t>(first), traced_.end(),
              [&](const TracedKernel& kernel) { return kernel.phase != traced_[first].phase; }) -
          traced_.begin());
      append_launches(trace, first, last, std::nullopt);
      for (std::int64_t layer = 0; layer < most_layers(first, last); ++layer) {
        append_launches(trace, first, last, layer);
      }
      first = last;
    }
    return trace;
  }

  std::int64_t total_ns() const {
    std::int64_t sum = 0;
    for (const auto& [phase, ns] : phase_ns_) sum += ns;
    return sum;
  }

  void write(Launch& body, bool with_trace) {
    for (const auto& [phase, ns] : phase_ns_) {
      body.metrics.push_back(integer_metric(metric::kBusy, phase, "ns", ns));
    }
    body.metrics.push_back(integer_metric(metric::kProfile, metric::kKernels, "1", call_count_));
    body.tables = {std::move(names_), std::move(kernels_)};
    if (with_trace) body.tables.push_back(gpu_trace());
  }

  const std::map<std::string, std::int64_t>& phase_ns() const { return phase_ns_; }

 private:
  /// A row of the table `kernels`, as far as the trace needs it.
  struct TracedKernel {
    std::string phase;
    std::int64_t calls;  ///< In each layer, or in the network if `layers` is 0.
    std::int64_t ns, layers;
  };

  std::int64_t most_layers(std::size_t first, std::size_t last) const {
    std::int64_t layers = 0;
    for (std::size_t i = first; i < last; ++i) layers = std::max(layers, traced_[i].layers);
    return layers;
  }

  void append_launches(Table& trace, std::size_t first, std::size_t last,
                       std::optional<std::int64_t> layer) const {
    for (std::size_t row = first; row < last; ++row) {
      if ((traced_[row].layers > 0) != layer.has_value()) continue;
      for (std::int64_t call = 0; call < traced_[row].calls; ++call) {
        const auto since_previous_start_ns =
            trace.rows.empty() ? std::int64_t{0}
                               : std::get<std::int64_t>(trace.rows.back()[1]) + 500;
        trace.rows.push_back({since_previous_start_ns, traced_[row].ns,
                              static_cast<std::int64_t>(row), layer ? Scalar(*layer) : Scalar()});
      }
    }
  }

  std::int64_t id(const FakeKernel& kernel) {
    const std::string name = on_gpu_ ? kernel.name : kernel.inner_op;
    const auto [entry, inserted] = ids_.emplace(name, static_cast<std::int64_t>(ids_.size()));
    if (inserted) names_.rows.push_back({entry->second, name});
    return entry->second;
  }

  bool on_gpu_;
  std::int64_t call_count_ = 0;
  std::map<std::string, std::int64_t> ids_;
  std::map<std::string, std::int64_t> phase_ns_;
  Table names_ = empty_table(metric::kKernelNames);
  Table kernels_ = empty_table(metric::kKernels);
  std::vector<TracedKernel> traced_;
};

}  // namespace fake_kernel

}  // namespace labreport
