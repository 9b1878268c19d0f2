#include "model/swiglu.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/sigmoid.h>

namespace labreport {

SwiGlu::SwiGlu(std::int64_t d_model, std::int64_t d_ff, c10::Device device, Variant variant)
    : w1_(d_model, d_ff, device, variant),
      w2_(d_ff, d_model, device, variant),
      w3_(d_model, d_ff, device, variant) {}

at::Tensor SwiGlu::forward(const at::Tensor& x) const {
  at::Tensor gate = forward_in_range("w1", w1_, x);
  at::Tensor gated = gate * at::sigmoid(gate);
  gated = gated * forward_in_range("w3", w3_, x);
  return forward_in_range("w2", w2_, gated);
}

void SwiGlu::shard(const std::shared_ptr<ShardedWeights>& sharded_weights) {
  for (Linear* layer : {&w1_, &w3_, &w2_}) layer->shard(sharded_weights);
}

void SwiGlu::append_parameters(const std::string& path, Parameters& parameters) const {
  w1_.append_parameters(path + ".w1", parameters);
  w2_.append_parameters(path + ".w2", parameters);
  w3_.append_parameters(path + ".w3", parameters);
}

}  // namespace labreport
