#include "model/init.h"

#include <ATen/core/TensorBody.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "engine/allocator.h"

namespace labreport {
namespace {

// Values beyond the bound are redrawn this often. Each draw leaves 0.27 % of its values beyond the
// bound; after two redraws two in 10⁸ are left, which are set to the bound.
constexpr int kRedraws = 2;

// Redraws values beyond ±bound. Inverting the distribution would make a GPU compile a kernel.
void redraw_outside(at::Tensor& weight, double bound, double std) {
  const at::Tensor is_outside = weight.clamp(-bound, bound).ne(weight);
  const at::Tensor change = at::empty_like(weight).normal_(0, std).sub_(weight);
  weight.addcmul_(change, is_outside);
}

}  // namespace

double linear_std(std::int64_t d_in, std::int64_t d_out) {
  return std::sqrt(2.0 / static_cast<double>(d_in + d_out));
}

at::Tensor trainable_empty(at::IntArrayRef shape, c10::Device device) {
  return at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(device)).requires_grad_();
}

void draw_truncated_normal(at::Tensor weight, double std) {
  const c10::NoGradGuard no_grad;
  const double bound = kTruncationDeviations * std;
  weight.normal_(0, std);
  for (int i = 0; i < kRedraws; ++i) redraw_outside(weight, bound, std);
  weight.clamp_(-bound, bound);
}

void initialize(const Parameters& parameters) {
  for (const auto& [name, tensor, std] : parameters) {
    if (std) draw_truncated_normal(tensor, *std);
  }
  if (!parameters.empty()) release_free_blocks(parameters.front().tensor.device());
}

at::Tensor trainable_ones(std::int64_t size, c10::Device device) {
  return at::ones({size}, at::TensorOptions().dtype(at::kFloat).device(device)).requires_grad_();
}

}  // namespace labreport
