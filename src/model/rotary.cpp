#include "model/rotary.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/TensorBody.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/slice_backward.h>

#include "model/operation.h"

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

/// Where every second element, from `first` on, has `gradient`.
at::Tensor spread(const at::Tensor& gradient, std::int64_t first) {
  std::vector<std::int64_t> sizes = gradient.sizes().vec();
  sizes.back() *= 2;
  return at::slice_backward(gradient, sizes, -1, first, sizes.back(), 2);
}

at::Tensor rotated_back(const at::Tensor& gradient, const at::Tensor& cos, const at::Tensor& sin,
                        c10::ScalarType type) {
  const std::int64_t half = gradient.size(-1) / 2;
  const at::Tensor first = gradient.slice(-1, 0, half);
  const at::Tensor second = gradient.slice(-1, half);
  at::Tensor of_odd = (second * cos).to(type);
  at::Tensor of_even = (second * sin).to(type);
  of_odd.add_((-first * sin).to(type));
  of_even.add_((first * cos).to(type));
  at::Tensor of_x = spread(of_odd, 1);
  return of_x.add_(spread(of_even, 0));
}

}  // namespace

Rotary::Rotary(std::int64_t context, std::int64_t d_head, c10::Device device) {
  at::Tensor turns = angles(context, d_head);
  cos_ = turns.cos().to(device);
  sin_ = turns.sin().to(device);
}

at::Tensor Rotary::forward(const at::Tensor& x) const {
  Operation operation("Rotary", x);
  const std::int64_t length = x.size(-2);
  at::Tensor cos = first_rows(cos_, length);
  at::Tensor sin = first_rows(sin_, length);
  at::Tensor even = x.slice(-1, 0, std::nullopt, 2);
  at::Tensor odd = x.slice(-1, 1, std::nullopt, 2);
  at::Tensor first = cos * even - sin * odd;
  at::Tensor second = sin * even + cos * odd;
  operation.keep(cos, sin);
  const auto backward = [type = x.scalar_type()](const at::Tensor& gradient, Kept& kept) {
    return std::vector{rotated_back(gradient, kept.take(0), kept.take(1), type)};
  };
  return operation.finish(at::cat({first, second}, -1), backward);
}

}  // namespace labreport
