#include "model/fused_adamw.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

namespace labreport {

FusedAdamW::FusedAdamW(const Parameters& parameters) {
  for (const Parameter& parameter : parameters) {
    names_.push_back(parameter.name);
    parameters_.push_back(parameter.tensor);
    m_.push_back(at::zeros_like(parameter.tensor));
    v_.push_back(at::zeros_like(parameter.tensor));
    step_counts_.push_back(at::zeros({}, parameter.tensor.options().dtype(at::kFloat)));
  }
}

void FusedAdamW::step() {
  constexpr AdamWOptions options;
  c10::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters_) gradients.push_back(parameter.grad());
  at::_foreach_add_(step_counts_, 1);
  at::_fused_adamw_(parameters_, gradients, m_, v_, /*max_exp_avg_sqs=*/{}, step_counts_,
                    options.learning_rate, options.beta1, options.beta2, options.weight_decay,
                    options.epsilon, /*amsgrad=*/false, /*maximize=*/false);
}

Parameters FusedAdamW::state() const {
  Parameters moments;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    moments.push_back({names_[i] + ".m", m_[i]});
    moments.push_back({names_[i] + ".v", v_[i]});
  }
  return moments;
}

}  // namespace labreport
