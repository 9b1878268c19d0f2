// The gated feed-forward network.
#pragma once

#include <string>

#include "model/linear.h"

namespace labreport {

/// Computes W2(silu(W1 x) · W3 x), with silu in elementary operations.
class SwiGlu {
 public:
  SwiGlu(std::int64_t d_model, std::int64_t d_ff, c10::Device device,
         Variant variant = Variant::kMatmul);
  at::Tensor forward(const at::Tensor& x) const;
  void list(const std::string& path, Parameters& into) const;
  /// Shards the linear layers in the order in which forward uses them.
  void shard(const std::shared_ptr<ShardedWeights>& among);

 private:
  Linear w1_;
  Linear w2_;
  Linear w3_;
};

}  // namespace labreport
