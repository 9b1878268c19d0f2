#include "model/toy_model.h"

#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros_like.h>

#include "model/init.h"

namespace labreport {
namespace {

constexpr std::int64_t kHidden = 10;

}  // namespace

ToyModel::ToyModel(std::int64_t d_in, std::int64_t d_out, c10::Device device)
    : fc1_(trainable_empty({kHidden, d_in}, device)),
      ln_weight_(trainable_ones(kHidden, device)),
      ln_bias_(at::zeros_like(ln_weight_).requires_grad_()),
      fc2_(trainable_empty({d_out, kHidden}, device)),
      parameters_{{"fc1.weight", fc1_, linear_std(d_in, kHidden)},
                  {"ln.weight", ln_weight_},
                  {"ln.bias", ln_bias_},
                  {"fc2.weight", fc2_, linear_std(kHidden, d_out)}} {
  initialize(parameters_);
}

at::Tensor ToyModel::forward(const at::Tensor& x, const OutputCallback& on_output) const {
  const auto traced = [&on_output](std::string_view module, at::Tensor output) {
    on_output(module, output);
    return output;
  };
  at::Tensor hidden = traced("fc1", at::linear(x, fc1_));
  hidden = traced("relu", at::relu(hidden));
  hidden = traced("ln", at::layer_norm(hidden, {kHidden}, ln_weight_, ln_bias_));
  return traced("fc2", at::linear(hidden, fc2_));
}

}  // namespace labreport
