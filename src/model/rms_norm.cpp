#include "model/rms_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsqrt.h>

#include "model/init.h"

namespace labreport {
namespace {

constexpr double kEpsilon = 1e-5;

at::Tensor normalised(const at::Tensor& x, const at::Tensor& weight) {
  at::Tensor scale = at::rsqrt(at::pow(x, 2).mean(-1, /*keepdim=*/true).add(kEpsilon));
  return weight * (x * scale);
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
