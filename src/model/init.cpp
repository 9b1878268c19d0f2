#include "model/init.h"

#include <ATen/core/TensorBody.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace labreport {
namespace {

// 0.27 % lie outside at first and as many of them after each redraw: two in 10⁸ are left to be
// put on the bound.
constexpr int kRedraws = 2;

// Not by inverting the distribution: a GPU compiles that kernel only when it is first wanted.
void redraw_outside(at::Tensor& weight, double bound, double std) {
  const at::Tensor outside = weight.clamp(-bound, bound).ne(weight);
  const at::Tensor change = at::empty_like(weight).normal_(0, std).sub_(weight);
  weight.addcmul_(change, outside);
}

}  // namespace

double linear_std(std::int64_t d_in, std::int64_t d_out) {
  return std::sqrt(2.0 / static_cast<double>(d_in + d_out));
}

at::Tensor truncated_normal(at::IntArrayRef shape, double std, c10::Device device) {
  const double bound = kTruncationDeviations * std;
  at::Tensor weight = at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(device));
  {
    const c10::NoGradGuard no_grad;
    weight.normal_(0, std);
    for (int i = 0; i < kRedraws; ++i) redraw_outside(weight, bound, std);
    weight.clamp_(-bound, bound);
  }
  return weight.requires_grad_();
}

at::Tensor trainable_ones(std::int64_t size, c10::Device device) {
  return at::ones({size}, at::TensorOptions().dtype(at::kFloat).device(device)).requires_grad_();
}

}  // namespace labreport
