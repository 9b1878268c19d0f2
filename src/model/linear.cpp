#include "model/linear.h"

#include <ATen/ops/einsum.h>
#include <ATen/ops/index.h>
#include <ATen/ops/linear.h>

#include "model/init.h"
#include "model/sharded_weights.h"

namespace labreport {

Linear::Linear(std::int64_t d_in, std::int64_t d_out, c10::Device device, Variant variant)
    : uses_einsum_(variant == Variant::kEinsum), weight_(trainable_empty({d_out, d_in}, device)) {}

void Weight::shard(std::shared_ptr<ShardedWeights> owner) {
  layer_ = owner->add_layer(tensor_);
  tensor_ = owner->shard(layer_);
  owner_ = std::move(owner);
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  if (weight_.owner() != nullptr) return weight_.owner()->linear(weight_.layer(), x);
  const at::Tensor& weight = weight_.tensor();
  return uses_einsum_ ? at::einsum("...i,oi->...o", {x, weight}) : at::linear(x, weight);
}

void Linear::append_parameters(const std::string& path, Parameters& parameters) const {
  const at::Tensor& weight = weight_.tensor();
  Parameter& parameter = parameters.emplace_back(Parameter{path + ".weight", weight});
  if (weight_.owner() == nullptr) parameter.std = linear_std(weight.size(1), weight.size(0));
}

Embedding::Embedding(std::int64_t vocab, std::int64_t d_model, c10::Device device)
    : weight_(trainable_empty({vocab, d_model}, device)) {}

at::Tensor Embedding::forward(const at::Tensor& ids) const {
  if (weight_.owner() != nullptr) return weight_.owner()->embedding(weight_.layer(), ids);
  return at::index(weight_.tensor(), {ids});
}

void Embedding::append_parameters(const std::string& path, Parameters& parameters) const {
  parameters.push_back({path + ".weight", weight_.tensor(), 1.0});
}

}  // namespace labreport
