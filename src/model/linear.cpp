#include "model/linear.h"

#include <ATen/ops/einsum.h>
#include <ATen/ops/index.h>
#include <ATen/ops/linear.h>

#include "model/init.h"
#include "model/sharded_weights.h"

namespace labreport {

Linear::Linear(std::int64_t d_in, std::int64_t d_out, c10::Device device, Variant variant)
    : einsum_(variant == Variant::kEinsum), weight_(trainable({d_out, d_in}, device)) {}

void Weight::shard(std::shared_ptr<ShardedWeights> among) {
  layer_ = among->add(tensor_);
  tensor_ = among->shard(layer_);
  among_ = std::move(among);
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  if (weight_.among() != nullptr) return weight_.among()->linear(weight_.layer(), x);
  const at::Tensor& weight = weight_.tensor();
  return einsum_ ? at::einsum("...i,oi->...o", {x, weight}) : at::linear(x, weight);
}

void Linear::list(const std::string& path, Parameters& into) const {
  const at::Tensor& weight = weight_.tensor();
  Parameter& parameter = into.emplace_back(Parameter{path + ".weight", weight});
  if (weight_.among() == nullptr) parameter.std = linear_std(weight.size(1), weight.size(0));
}

Embedding::Embedding(std::int64_t vocab, std::int64_t d_model, c10::Device device)
    : weight_(trainable({vocab, d_model}, device)) {}

at::Tensor Embedding::forward(const at::Tensor& ids) const {
  if (weight_.among() != nullptr) return weight_.among()->embedding(weight_.layer(), ids);
  return at::index(weight_.tensor(), {ids});
}

void Embedding::list(const std::string& path, Parameters& into) const {
  into.push_back({path + ".weight", weight_.tensor(), 1.0});
}

}  // namespace labreport
