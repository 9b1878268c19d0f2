#include "model/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

#include "model/softmax.h"

namespace labreport {
namespace {

/// True where the query may see the key: [positions, positions].
at::Tensor causal_mask(std::int64_t length, c10::Device device) {
  at::Tensor positions = at::arange(length, at::TensorOptions().dtype(at::kLong).device(device));
  return positions.unsqueeze(1) >= positions.unsqueeze(0);
}

/// As `matmul` does it for each head, without the steps that only serve broadcasting.
at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor each = at::bmm(a.flatten(0, 1), b.flatten(0, 1));
  return each.view({a.size(0), a.size(1), a.size(2), b.size(3)});
}

at::Tensor scaled_scores(const at::Tensor& q, const at::Tensor& k) {
  return product(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
}

at::Tensor scaled_dot_product(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              const at::Tensor& mask) {
  at::Tensor scores = scaled_scores(q, k);
  scores = at::where(mask, scores, -std::numeric_limits<double>::infinity());
  return product(softmax(scores), v);
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

at::Tensor Attention::split(const at::Tensor& x) const {
  return x.view({x.size(0), x.size(1), heads_, -1}).transpose(1, 2);
}

at::Tensor Attention::forward(const at::Tensor& x) const {
  at::Tensor q = split(q_proj_.forward(x));
  at::Tensor k = split(k_proj_.forward(x));
  at::Tensor v = split(v_proj_.forward(x));
  q = rotary_->forward(q);
  k = rotary_->forward(k);
  at::Tensor mask = causal_mask(x.size(1), x.device());
  at::Tensor mixed = scaled_dot_product(q, k, v, mask);
  return output_proj_.forward(mixed.transpose(1, 2).contiguous().view(x.sizes()));
}

void Attention::list(const std::string& path, Parameters& into) const {
  q_proj_.list(path + ".q_proj", into);
  k_proj_.list(path + ".k_proj", into);
  v_proj_.list(path + ".v_proj", into);
  output_proj_.list(path + ".output_proj", into);
}

}  // namespace labreport
