// A profiled step's tables as a worker writes them.
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

/// One kind of kernel of the forward pass: how often a layer launches it, and what one call costs.
struct FakeKernel {
  const char* module;
  const char* operation;
  const char* op;
  const char* kind;
  const char* name;
  double calls;  ///< In one forward pass.
  double ns;     ///< Time of one call.
};

namespace fake_kernel {

/// The rows as a worker writes them; on a processor a kernel is its operator.
class Tables {
 public:
  explicit Tables(bool gpu) : gpu_(gpu) {}

  /// Adds calls in `layers` layers, each with its share of the calls; with 0, the network itself
  /// launches them.
  void add(std::string_view phase, const FakeKernel& kernel, double calls_each, double slower,
           std::int64_t layers = 0) {
    const auto calls = static_cast<std::int64_t>(kernel.calls * calls_each);
    const auto each = static_cast<std::int64_t>(kernel.ns * slower) + 1000;
    kernels_.rows.push_back(
        {std::string(phase), std::string(kernel.module), std::string(kernel.operation),
         std::string(kernel.op), std::string(kernel.kind), id(kernel), calls, calls * each,
         each - each / 50, each, each + each / 50, static_cast<double>(each) / 100});
    sums_[std::string(phase)] += calls * each;
    count_ += calls;
    const bool layered = layers > 0 && std::string_view(kernel.module).starts_with("layers");
    parts_.push_back({std::string(phase), calls / (layered ? layers : 1), each,
                      layered ? layers : std::int64_t{0}});
  }

  /// Lists kernels phase by phase, in each those of no layer first, then layer by layer.
  Table gpu_trace() const {
    Table trace = shape::gpu_trace();
    for (std::size_t first = 0; first < parts_.size();) {
      const auto last = static_cast<std::size_t>(
          std::find_if(parts_.begin() + static_cast<std::ptrdiff_t>(first), parts_.end(),
                       [&](const Part& part) { return part.phase != parts_[first].phase; }) -
          parts_.begin());
      add_layer(trace, first, last, std::nullopt);
      for (std::int64_t layer = 0; layer < layers_in(first, last); ++layer) {
        add_layer(trace, first, last, layer);
      }
      first = last;
    }
    return trace;
  }

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const auto& [phase, ns] : sums_) sum += ns;
    return sum;
  }

  void write(Launch& body, bool each) {
    for (const auto& [phase, ns] : sums_) {
      body.metrics.push_back(integer_metric(metric::kBusy, phase, "ns", ns));
    }
    body.metrics.push_back(integer_metric(metric::kProfile, metric::kKernels, "1", count_));
    body.tables = {std::move(names_), std::move(kernels_)};
    if (each) body.tables.push_back(gpu_trace());
  }

  const std::map<std::string, std::int64_t>& sums() const { return sums_; }

 private:
  /// A row of `kernels`: its calls in each of its layers, or in the network if it has none.
  struct Part {
    std::string phase;
    std::int64_t calls, ns, layers;
  };

  std::int64_t layers_in(std::size_t first, std::size_t last) const {
    std::int64_t most = 0;
    for (std::size_t i = first; i < last; ++i) most = std::max(most, parts_[i].layers);
    return most;
  }

  void add_layer(Table& trace, std::size_t first, std::size_t last,
                 std::optional<std::int64_t> layer) const {
    for (std::size_t row = first; row < last; ++row) {
      if ((parts_[row].layers > 0) != layer.has_value()) continue;
      for (std::int64_t call = 0; call < parts_[row].calls; ++call) {
        const auto before = trace.rows.empty() ? std::int64_t{0}
                                               : std::get<std::int64_t>(trace.rows.back()[1]) + 500;
        trace.rows.push_back({before, parts_[row].ns, static_cast<std::int64_t>(row),
                              layer ? Scalar(*layer) : Scalar()});
      }
    }
  }

  std::int64_t id(const FakeKernel& kernel) {
    const std::string name = gpu_ ? kernel.name : kernel.op;
    const auto [found, fresh] = ids_.emplace(name, static_cast<std::int64_t>(ids_.size()));
    if (fresh) names_.rows.push_back({found->second, name});
    return found->second;
  }

  bool gpu_;
  std::int64_t count_ = 0;
  std::map<std::string, std::int64_t> ids_;
  std::map<std::string, std::int64_t> sums_;
  Table names_ = shape::kernel_names();
  Table kernels_ = shape::kernels();
  std::vector<Part> parts_;
};

}  // namespace fake_kernel

}  // namespace labreport
