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

at::Tensor angles(std::int64_t context, std::int64_t d_head, c10::Device device) {
  const auto whole = at::TensorOptions().device(device);
  at::Tensor exponents = at::arange(0, d_head, 2, whole.dtype(at::kLong)) / d_head;
  at::Tensor positions = at::arange(context, whole.dtype(at::kLong));
  return at::outer(positions, at::pow(kTheta, exponents.neg()));
}

}  // namespace

Rotary::Rotary(std::int64_t context, std::int64_t d_head, c10::Device device) {
  at::Tensor turns = angles(context, d_head, device);
  cos_ = turns.cos();
  sin_ = turns.sin();
}

at::Tensor Rotary::forward(const at::Tensor& x) const {
  const std::int64_t length = x.size(-2);
  at::Tensor cos = cos_.narrow(0, 0, length);
  at::Tensor sin = sin_.narrow(0, 0, length);
  at::Tensor even = x.slice(-1, 0, std::nullopt, 2);
  at::Tensor odd = x.slice(-1, 1, std::nullopt, 2);
  at::Tensor first = cos * even - sin * odd;
  at::Tensor second = sin * even + cos * odd;
  return at::cat({first, second}, -1);
}

}  // namespace labreport
