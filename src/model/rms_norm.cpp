#include "model/rms_norm.h"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsqrt.h>

#include "model/init.h"
#include "model/operation.h"

namespace labreport {
namespace {

constexpr double kEpsilon = 1e-5;

at::Tensor rsqrt_backward(const at::Tensor& gradient, const at::Tensor& result) {
  const at::Tensor cubed = at::pow(result, 3);
  return gradient * -0.5 * cubed;
}

std::vector<at::Tensor> inverse_rms_backward(at::Tensor gradient, Kept& kept) {
  gradient = rsqrt_backward(gradient, kept.take(1));
  const at::Tensor x = kept.take(0);
  gradient = gradient.expand_as(x) / x.size(-1);  // mean
  return {gradient * (at::pow(x, 1) * 2.0)};      // pow
}

/// 1 / √(mean(x²) + eps) along the last dimension.
at::Tensor inverse_rms(const at::Tensor& x) {
  Operation operation("InverseRms", x);
  at::Tensor inverse = at::rsqrt(at::pow(x, 2).mean(-1, /*keepdim=*/true).add(kEpsilon));
  operation.keep(x, Operation::alias(inverse));
  return operation.finish(inverse, inverse_rms_backward);
}

struct Factors {
  at::Tensor first;
  at::Tensor second;
};

/// Through first · second, each summed to its own shape.
Factors product_backward(const at::Tensor& gradient, const Factors& factors) {
  at::Tensor of_second = gradient * factors.first;
  at::Tensor of_first = gradient * factors.second;
  return {at::sum_to(std::move(of_first), factors.first.sizes()),
          at::sum_to(std::move(of_second), factors.second.sizes())};
}

std::vector<at::Tensor> scaled_backward(at::Tensor gradient, Kept& kept) {
  const Factors outer = product_backward(gradient, {kept.take(2), kept.take(3)});
  gradient.reset();
  const Factors inner = product_backward(outer.second, {kept.take(0), kept.take(1)});
  return {outer.first, inner.first, inner.second};
}

/// weight · (x · scale)
at::Tensor scaled(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& weight) {
  Operation operation("Scaled", weight, x, scale);
  const at::Tensor product = x * scale;
  operation.keep(x, scale, weight, product);
  return operation.finish(weight * product, scaled_backward);
}

at::Tensor normalised(const at::Tensor& x, const at::Tensor& weight) {
  return scaled(x, inverse_rms(x), weight);
}

}  // namespace

RmsNorm::RmsNorm(std::int64_t d_model, c10::Device device)
    : weight_(trainable_ones(d_model, device)) {}

at::Tensor RmsNorm::forward(const at::Tensor& x) const {
  if (x.scalar_type() == at::kFloat) return normalised(x, weight_);
  return normalised(x.to(at::kFloat), weight_).to(x.scalar_type());
}

void RmsNorm::list(const std::string& path, Parameters& into) const {
  into.push_back({path + ".weight", weight_});
}

}  // namespace labreport
