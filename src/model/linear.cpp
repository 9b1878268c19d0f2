#include "model/linear.h"

#include <ATen/ops/einsum.h>
#include <ATen/ops/index.h>
#include <ATen/ops/linear.h>

#include "model/init.h"

namespace labreport {

Linear::Linear(std::int64_t d_in, std::int64_t d_out, c10::Device device, Variant variant)
    : einsum_(variant == Variant::kEinsum), weight_(trainable({d_out, d_in}, device)) {}

at::Tensor Linear::forward(const at::Tensor& x) const {
  return einsum_ ? at::einsum("...i,oi->...o", {x, weight_}) : at::linear(x, weight_);
}

void Linear::list(const std::string& path, Parameters& into) const {
  into.push_back({path + ".weight", weight_, linear_std(weight_.size(1), weight_.size(0))});
}

Embedding::Embedding(std::int64_t vocab, std::int64_t d_model, c10::Device device)
    : weight_(trainable({vocab, d_model}, device)) {}

at::Tensor Embedding::forward(const at::Tensor& ids) const { return at::index(weight_, {ids}); }

void Embedding::list(const std::string& path, Parameters& into) const {
  into.push_back({path + ".weight", weight_, 1.0});
}

}  // namespace labreport
