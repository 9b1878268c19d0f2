#include "model/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/arange.h>

#include "engine/range.h"
#include "model/dot_product.h"
#include "model/softmax.h"

namespace labreport {
namespace {

/// True where the query may see the key: [positions, positions].
at::Tensor causal_mask(std::int64_t length, c10::Device device) {
  const at::AutoDispatchBelowADInplaceOrView unseen;
  at::Tensor positions = at::arange(length, at::TensorOptions().dtype(at::kLong).device(device));
  return positions.unsqueeze(1) >= positions.unsqueeze(0);
}

at::Tensor scores_of(const at::Tensor& q, const at::Tensor& k, const at::Tensor& mask) {
  Range range("computing attention scores");
  return masked_scores(q, k, mask);
}

at::Tensor probabilities_of(const at::Tensor& scores) {
  Range range("computing softmax");
  return softmax(scores);
}

at::Tensor scaled_dot_product(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              const at::Tensor& mask) {
  Range range("scaled dot product attention");
  at::Tensor probabilities = probabilities_of(scores_of(q, k, mask));
  Range product("final matmul");
  return mixed_values(probabilities, v);
}

}  // namespace

Attention::Attention(std::int64_t d_model, std::int64_t heads, std::shared_ptr<const Rotary> rotary,
                     c10::Device device)
    : heads_(heads),
      q_proj_(d_model, d_model, device),
      k_proj_(d_model, d_model, device),
      v_proj_(d_model, d_model, device),
      output_proj_(d_model, d_model, device),
      rotary_(std::move(rotary)) {}

at::Tensor Attention::forward(const at::Tensor& x) const {
  at::Tensor q = split_heads(in_range("q_proj", q_proj_, x), heads_);
  at::Tensor k = split_heads(in_range("k_proj", k_proj_, x), heads_);
  at::Tensor v = split_heads(in_range("v_proj", v_proj_, x), heads_);
  rotate(q, k);
  at::Tensor mask = causal_mask(x.size(1), x.device());
  at::Tensor mixed = scaled_dot_product(q, k, v, mask);
  return in_range("output_proj", output_proj_, merge_heads(mixed));
}

void Attention::rotate(at::Tensor& q, at::Tensor& k) const {
  Range range("rotary");
  q = rotary_->forward(q);
  k = rotary_->forward(k);
}

void Attention::list(const std::string& path, Parameters& into) const {
  q_proj_.list(path + ".q_proj", into);
  k_proj_.list(path + ".k_proj", into);
  v_proj_.list(path + ".v_proj", into);
  output_proj_.list(path + ".output_proj", into);
}

}  // namespace labreport
