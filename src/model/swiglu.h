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
  void append_parameters(const std::string& path, Parameters& parameters) const;
  /// Shards the linear layers in the order in which forward uses them.
  void shard(const std::shared_ptr<ShardedWeights>& sharded_weights);

 private:
  Linear w1_, w2_, w3_;
};

}  // namespace labreport
