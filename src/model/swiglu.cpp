#include "model/swiglu.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sigmoid_backward.h>

#include "model/operation.h"

namespace labreport {
namespace {

std::vector<at::Tensor> silu_backward(at::Tensor gradient, Kept& kept) {
  at::Tensor x = kept.take(0);
  const at::Tensor sigmoid = kept.take(1);
  at::Tensor of_sigmoid = gradient * x;
  at::Tensor of_x = gradient * sigmoid;
  gradient.reset();
  x.reset();
  of_sigmoid = at::sigmoid_backward(of_sigmoid, sigmoid);
  return {of_x.add_(of_sigmoid)};
}

/// x · sigmoid(x)
at::Tensor silu(const at::Tensor& x) {
  Operation operation("Silu", x);
  const at::Tensor sigmoid = at::sigmoid(x);
  operation.keep(x, sigmoid);
  return operation.finish(x * sigmoid, silu_backward);
}

}  // namespace

SwiGlu::SwiGlu(std::int64_t d_model, std::int64_t d_ff, c10::Device device)
    : w1_(d_model, d_ff, device), w2_(d_ff, d_model, device), w3_(d_model, d_ff, device) {}

at::Tensor SwiGlu::forward(const at::Tensor& x) const {
  at::Tensor gate = in_range("w1", w1_, x);
  at::Tensor opened = silu(gate);
  opened = opened * in_range("w3", w3_, x);
  return in_range("w2", w2_, opened);
}

void SwiGlu::list(const std::string& path, Parameters& into) const {
  w1_.list(path + ".w1", into);
  w2_.list(path + ".w2", into);
  w3_.list(path + ".w3", into);
}

}  // namespace labreport
