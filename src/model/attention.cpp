#include "model/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

#include "engine/range.h"
#include "model/softmax.h"

namespace labreport {
namespace {

/// Returns a view: [batch, positions, d_model] → [batch, heads, positions, d_model / heads].
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
  return x.unflatten(-1, {heads, -1}).transpose(1, 2);
}

/// Reverses split_heads(); returns a contiguous copy.
at::Tensor merge_heads(const at::Tensor& x) { return x.transpose(1, 2).contiguous().flatten(-2); }

/// Returns QKᵀ/√d_k, with −∞ where `mask` is false: [batch, heads, positions, positions].
at::Tensor masked_scores(const at::Tensor& q, const at::Tensor& k, const at::Tensor& mask) {
  Range range("computing attention scores");
  at::Tensor scores = at::matmul(q, k.transpose(-2, -1));
  scores = scores / std::sqrt(static_cast<double>(q.size(-1)));
  return at::where(mask, scores, -std::numeric_limits<double>::infinity());
}

at::Tensor probabilities_of(const at::Tensor& scores) {
  Range range("computing softmax");
  return softmax(scores);
}

}  // namespace

at::Tensor causal_mask(std::int64_t length, c10::Device device) {
  at::Tensor positions = at::arange(length, at::TensorOptions().dtype(at::kLong).device(device));
  return positions.unsqueeze(1) >= positions.unsqueeze(0);
}

at::Tensor scaled_dot_product(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              const at::Tensor& mask) {
  Range range("scaled dot product attention");
  const at::Tensor scores = masked_scores(q, k, mask);
  const at::Tensor probabilities = probabilities_of(scores);
  Range product("final matmul");
  return at::matmul(probabilities, v);
}

Attention::Attention(std::int64_t d_model, std::int64_t heads, std::shared_ptr<const Rotary> rotary,
                     c10::Device device, Variant variant)
    : heads_(heads),
      uses_sdpa_(variant >= Variant::kSdpa),
      q_proj_(d_model, d_model, device, variant),
      k_proj_(d_model, d_model, device, variant),
      v_proj_(d_model, d_model, device, variant),
      output_proj_(d_model, d_model, device, variant),
      rotary_(std::move(rotary)) {}

at::Tensor Attention::forward(const at::Tensor& x) const {
  at::Tensor q = split_heads(forward_in_range("q_proj", q_proj_, x), heads_);
  at::Tensor k = split_heads(forward_in_range("k_proj", k_proj_, x), heads_);
  at::Tensor v = split_heads(forward_in_range("v_proj", v_proj_, x), heads_);
  rotate(q, k);
  return forward_in_range("output_proj", output_proj_, merge_heads(attend(q, k, v)));
}

at::Tensor Attention::attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
  if (uses_sdpa_) {
    Range range("scaled dot product attention");
    return at::scaled_dot_product_attention(q, k, v, /*attn_mask=*/{}, /*dropout_p=*/0.0,
                                            /*is_causal=*/true);
  }
  return scaled_dot_product(q, k, v, causal_mask(q.size(2), q.device()));
}

void Attention::rotate(at::Tensor& q, at::Tensor& k) const {
  Range range("rotary");
  at::Tensor rotated_q = rotary_->forward(q);
  k = rotary_->forward(k);
  q = std::move(rotated_q);
}

void Attention::shard(const std::shared_ptr<ShardedWeights>& sharded_weights) {
  for (Linear* layer : {&q_proj_, &k_proj_, &v_proj_, &output_proj_}) layer->shard(sharded_weights);
}

void Attention::append_parameters(const std::string& path, Parameters& parameters) const {
  q_proj_.append_parameters(path + ".q_proj", parameters);
  k_proj_.append_parameters(path + ".k_proj", parameters);
  v_proj_.append_parameters(path + ".v_proj", parameters);
  output_proj_.append_parameters(path + ".output_proj", parameters);
}

}  // namespace labreport
