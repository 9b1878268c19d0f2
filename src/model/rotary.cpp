#include "model/rotary.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/TensorBody.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sin.h>

namespace labreport {
namespace {

constexpr double kTheta = 10'000.0;

// Returns the angles [context, d_head / 2]. The host computes them, which saves the device from
// loading eight kernels before the first step.
at::Tensor angles(std::int64_t context, std::int64_t d_head) {
  at::Tensor exponents = at::arange(0, d_head, 2, at::kLong) / d_head;
  at::Tensor positions = at::arange(context, at::kLong);
  return at::outer(positions, at::pow(kTheta, exponents.neg()));
}

// C++ does not fix which operand it computes first, so the left one has a statement of its own.
at::Tensor first_half(const at::Tensor& cos, const at::Tensor& sin, const at::Tensor& even,
                      const at::Tensor& odd) {
  const at::Tensor left_product = cos * even;
  return left_product - sin * odd;
}

at::Tensor second_half(const at::Tensor& cos, const at::Tensor& sin, const at::Tensor& even,
                       const at::Tensor& odd) {
  const at::Tensor left_product = sin * even;
  return left_product + cos * odd;
}

}  // namespace

Rotary::Rotary(std::int64_t context, std::int64_t d_head, c10::Device device) {
  at::Tensor rotation_angles = angles(context, d_head);
  cos_ = rotation_angles.cos().to(device);
  sin_ = rotation_angles.sin().to(device);
}

at::Tensor Rotary::forward(const at::Tensor& x) const {
  const at::Tensor cos = cos_.slice(0, 0, x.size(-2));
  const at::Tensor sin = sin_.slice(0, 0, x.size(-2));
  const at::Tensor even = x.slice(-1, 0, std::nullopt, 2);
  const at::Tensor odd = x.slice(-1, 1, std::nullopt, 2);
  const at::Tensor first = first_half(cos, sin, even, odd);
  const at::Tensor second = second_half(cos, sin, even, odd);
  return at::cat({first, second}, -1);
}

}  // namespace labreport
