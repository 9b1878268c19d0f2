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

/// All ranks call the first three functions once in each step, in this order.
class Averaging {
 public:
  virtual ~Averaging() = default;

  virtual void before_forward() {}
  virtual void before_backward(const at::Tensor& /*loss*/) {}
  /// Gradients are means over the ranks afterwards; on a GPU only later kernels may read them.
  virtual void after_backward() {}

  /// Returns the bytes of each all-reduce of a step, in the order in which they start; empty if
  /// PyTorch divides the gradients itself.
  virtual std::optional<std::vector<std::int64_t>> all_reduces() const = 0;
};

/// `parameters` are in the network's order. `bucket` is the size of a bucket in bytes; schemes
/// without buckets ignore it. `group` and `parameters` must outlive the result.
std::unique_ptr<Averaging> make_averaging(Scheme scheme, std::int64_t bucket, RankGroup& group,
                                          const std::vector<at::Tensor>& parameters);

}  // namespace labreport
