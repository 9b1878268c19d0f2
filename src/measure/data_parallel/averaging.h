// Averages gradients over the ranks: one scheme, applied to one network.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/rank_group.h"
#include "results/cell.h"

namespace labreport {

/// In each step, all ranks call before_forward(), before_backward() and after_backward() once.
class GradientAverager {
 public:
  virtual ~GradientAverager() = default;

  virtual void before_forward() {}
  virtual void before_backward(const at::Tensor& /*loss*/) {}
  /// Afterwards gradients are means over the ranks; on a GPU only later kernels may read them.
  virtual void after_backward() {}

  /// Returns the bytes of each all-reduce of a step, in the order in which they start. The result
  /// is absent if PyTorch's reducer distributes the gradients over all-reduces.
  virtual std::optional<std::vector<std::int64_t>> all_reduce_bytes() const = 0;
};

/// A step of the user's averages by itself. `parameters` are in the network's order. Schemes
/// without buckets ignore `bucket_bytes`. `group` and `parameters` must outlive the result.
std::unique_ptr<GradientAverager> make_averager(Scheme scheme, std::int64_t bucket_bytes,
                                                RankGroup& group,
                                                const std::vector<at::Tensor>& parameters);

}  // namespace labreport
