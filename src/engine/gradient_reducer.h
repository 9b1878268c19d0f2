// PyTorch's own averaging of gradients: the reducer inside DistributedDataParallel.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/rank_group.h"

namespace labreport {

/// Makes the calls of DistributedDataParallel, with gradients as views of the buckets. Over Gloo
/// its all-reduces are in RankGroup::take_flights().
class GradientReducer {
 public:
  /// A bucket is complete once it holds `bucket_bytes`, the first once it holds 1 MiB.
  GradientReducer(RankGroup& group, const std::vector<at::Tensor>& parameters,
                  std::int64_t bucket_bytes);
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  /// Reorders the buckets after the first backward pass, to the order in which its gradients were
  /// ready.
  void before_forward();
  /// Prepares the backward pass, after which gradients are means over the ranks.
  void before_backward(const at::Tensor& loss);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace labreport
