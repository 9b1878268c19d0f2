#include "model/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/arange.h>

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
  at::Tensor q = split_heads(q_proj_.forward(x), heads_);
  at::Tensor k = split_heads(k_proj_.forward(x), heads_);
  at::Tensor v = split_heads(v_proj_.forward(x), heads_);
  q = rotary_->forward(q);
  k = rotary_->forward(k);
  at::Tensor mask = causal_mask(x.size(1), x.device());
  at::Tensor mixed = mixed_values(softmax(masked_scores(q, k, mask)), v);
  return output_proj_.forward(merge_heads(mixed));
}

void Attention::list(const std::string& path, Parameters& into) const {
  q_proj_.list(path + ".q_proj", into);
  k_proj_.list(path + ".k_proj", into);
  v_proj_.list(path + ".v_proj", into);
  output_proj_.list(path + ".output_proj", into);
}

}  // namespace labreport
