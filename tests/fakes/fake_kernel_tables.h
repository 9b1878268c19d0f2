// A profiled step's tables as a worker writes them.
#pragma once

#include <map>
#include <string>
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
  double ns;     ///< Of one call.
};

namespace fake_kernel {

/// The rows as a worker writes them; on a processor a kernel is its operator.
class Tables {
 public:
  explicit Tables(bool gpu) : gpu_(gpu) {}

  void add(std::string_view phase, const FakeKernel& kernel, double calls_each, double slower) {
    const auto calls = static_cast<std::int64_t>(kernel.calls * calls_each);
    const auto each = static_cast<std::int64_t>(kernel.ns * slower) + 1000;
    kernels_.rows.push_back(
        {std::string(phase), std::string(kernel.module), std::string(kernel.operation),
         std::string(kernel.op), std::string(kernel.kind), id(kernel), calls, calls * each,
         each - each / 50, each, each + each / 50, static_cast<double>(each) / 100});
    sums_[std::string(phase)] += calls * each;
    count_ += calls;
  }

  void add_to_layer(const FakeKernel& kernel) {
    const auto each = static_cast<std::int64_t>(kernel.ns) + 1000;
    layer_.rows.push_back({end_, each, id(kernel), std::string(kernel.module),
                           std::string(kernel.operation), std::string(kernel.kind)});
    end_ += each + 500;
  }

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const auto& [phase, ns] : sums_) sum += ns;
    return sum;
  }

  void write(Launch& body) {
    for (const auto& [phase, ns] : sums_) {
      body.metrics.push_back(integer_metric(metric::kBusy, phase, "ns", ns));
    }
    body.metrics.push_back(integer_metric(metric::kProfile, metric::kKernels, "1", count_));
    body.tables = {std::move(names_), std::move(kernels_), std::move(layer_)};
  }

  const std::map<std::string, std::int64_t>& sums() const { return sums_; }

 private:
  std::int64_t id(const FakeKernel& kernel) {
    const std::string name = gpu_ ? kernel.name : kernel.op;
    const auto [found, fresh] = ids_.emplace(name, static_cast<std::int64_t>(ids_.size()));
    if (fresh) names_.rows.push_back({found->second, name});
    return found->second;
  }

  bool gpu_;
  std::int64_t count_ = 0;
  std::int64_t end_ = 0;
  std::map<std::string, std::int64_t> ids_;
  std::map<std::string, std::int64_t> sums_;
  Table names_ = shape::kernel_names();
  Table kernels_ = shape::kernels();
  Table layer_ = shape::layer();
};

}  // namespace fake_kernel

}  // namespace labreport
