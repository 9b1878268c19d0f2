#include "model/init.h"

#include <ATen/core/TensorBody.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace labreport {

double linear_std(std::int64_t d_in, std::int64_t d_out) {
  return std::sqrt(2.0 / static_cast<double>(d_in + d_out));
}

at::Tensor truncated_normal(at::IntArrayRef shape, double std, c10::Device device) {
  at::Tensor weight = at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(device));
  {
    c10::NoGradGuard no_grad;
    // Uniform between the bounds' probabilities, then the inverse of the normal distribution;
    // erf(x/√2) = 2Φ(x) − 1 spares the shift.
    const double bound = std::erf(kTruncationDeviations / std::sqrt(2.0));
    weight.uniform_(-bound, bound).erfinv_().mul_(std * std::sqrt(2.0));
    weight.clamp_(-kTruncationDeviations * std, kTruncationDeviations * std);
  }
  return weight.requires_grad_();
}

at::Tensor trainable_ones(std::int64_t size, c10::Device device) {
  return at::ones({size}, at::TensorOptions().dtype(at::kFloat).device(device)).requires_grad_();
}

}  // namespace labreport
