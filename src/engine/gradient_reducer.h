// PyTorch's own averaging of gradients: the reducer inside DistributedDataParallel.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/rank_group.h"

namespace labreport {

/// Calls the reducer as DistributedDataParallel does if gradients are views of the buckets. Over
/// Gloo, RankGroup::take_collectives() returns the times of the all-reduces.
class GradientReducer {
 public:
  /// A bucket takes no more gradients once it holds `bucket_bytes`, or 1 MiB for the first bucket.
  GradientReducer(RankGroup& group, const std::vector<at::Tensor>& parameters,
                  std::int64_t bucket_bytes);
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  /// Call this before each forward pass. The second call rebuilds the buckets in the order in which
  /// the first backward pass completed the gradients.
  void before_forward();
  /// Call this before each backward pass, which then averages the gradients over the ranks.
  void before_backward(const at::Tensor& loss);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace labreport
