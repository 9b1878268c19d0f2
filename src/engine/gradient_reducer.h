// PyTorch's own averaging of gradients: the reducer inside DistributedDataParallel.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/rank_group.h"

namespace labreport {

/// Calls are those that DistributedDataParallel makes, with gradients as views of the buckets. Over
/// Gloo its all-reduces are among the group's flights.
class GradientReducer {
 public:
  /// Buckets are closed once they hold `bucket_bytes`, the first once it holds 1 MiB.
  GradientReducer(RankGroup& group, const std::vector<at::Tensor>& parameters,
                  std::int64_t bucket_bytes);
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  /// After the first backward pass its order of gradients is that of the buckets.
  void before_forward();
  /// When the backward pass that follows is over, gradients are means over the ranks.
  void before_backward(const at::Tensor& loss);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace labreport
