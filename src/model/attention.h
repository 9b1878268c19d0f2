// Causal multi-head self-attention, explicit or by scaled_dot_product_attention.
#pragma once

#include <memory>
#include <string>

#include "model/linear.h"
#include "model/rotary.h"

namespace labreport {

/// Returns a boolean [query, key] tensor, true where the query may see the key.
at::Tensor causal_mask(std::int64_t length, c10::Device device);

/// Returns softmax(QKᵀ/√d)V over the last two dimensions; a score is −∞ where `mask` is false.
/// Temporaries live until the function returns, as in the Python reference.
at::Tensor scaled_dot_product(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              const at::Tensor& mask);

class Attention {
 public:
  /// All layers of a network share `rotary`.
  Attention(std::int64_t d_model, std::int64_t heads, std::shared_ptr<const Rotary> rotary,
            c10::Device device, Variant variant = Variant::kMatmul);
  /// Input and output have the shape [batch, positions, d_model].
  at::Tensor forward(const at::Tensor& x) const;
  void append_parameters(const std::string& path, Parameters& parameters) const;
  /// Shards the linear layers in the order in which forward uses them.
  void shard(const std::shared_ptr<ShardedWeights>& sharded_weights);

 private:
  void rotate(at::Tensor& q, at::Tensor& k) const;
  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;

  std::int64_t heads_;
  bool uses_sdpa_;
  Linear q_proj_, k_proj_, v_proj_, output_proj_;
  std::shared_ptr<const Rotary> rotary_;
};

}  // namespace labreport
