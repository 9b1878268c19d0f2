#include "model/swiglu.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/sigmoid.h>

namespace labreport {

SwiGlu::SwiGlu(std::int64_t d_model, std::int64_t d_ff, c10::Device device, Variant variant)
    : w1_(d_model, d_ff, device, variant),
      w2_(d_ff, d_model, device, variant),
      w3_(d_model, d_ff, device, variant) {}

at::Tensor SwiGlu::forward(const at::Tensor& x) const {
  at::Tensor gate = in_range("w1", w1_, x);
  at::Tensor opened = gate * at::sigmoid(gate);
  opened = opened * in_range("w3", w3_, x);
  return in_range("w2", w2_, opened);
}

void SwiGlu::shard(const std::shared_ptr<ShardedWeights>& among) {
  for (Linear* layer : {&w1_, &w3_, &w2_}) layer->shard(among);
}

void SwiGlu::list(const std::string& path, Parameters& into) const {
  w1_.list(path + ".w1", into);
  w2_.list(path + ".w2", into);
  w3_.list(path + ".w3", into);
}

}  // namespace labreport
