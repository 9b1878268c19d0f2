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

// On the host: eight kernels less for the device to load before its first step.
at::Tensor angles(std::int64_t context, std::int64_t d_head) {
  at::Tensor exponents = at::arange(0, d_head, 2, at::kLong) / d_head;
  at::Tensor positions = at::arange(context, at::kLong);
  return at::outer(positions, at::pow(kTheta, exponents.neg()));
}

at::Tensor first_rows(const at::Tensor& table, std::int64_t count) {
  return table.size(0) == count ? table : table.narrow(0, 0, count);
}

}  // namespace

Rotary::Rotary(std::int64_t context, std::int64_t d_head, c10::Device device) {
  at::Tensor turns = angles(context, d_head);
  cos_ = turns.cos().to(device);
  sin_ = turns.sin().to(device);
}

at::Tensor Rotary::forward(const at::Tensor& x) const {
  const std::int64_t length = x.size(-2);
  at::Tensor cos = first_rows(cos_, length);
  at::Tensor sin = first_rows(sin_, length);
  at::Tensor even = x.slice(-1, 0, std::nullopt, 2);
  at::Tensor odd = x.slice(-1, 1, std::nullopt, 2);
  at::Tensor first = cos * even - sin * odd;
  at::Tensor second = sin * even + cos * odd;
  return at::cat({first, second}, -1);
}

}  // namespace labreport
