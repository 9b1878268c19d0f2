#include "model/rms_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsqrt.h>

#include "model/init.h"

namespace labreport {
namespace {

constexpr double kEpsilon = 1e-5;

}  // namespace

RmsNorm::RmsNorm(std::int64_t d_model, c10::Device device)
    : weight_(trainable_ones(d_model, device)) {}

at::Tensor RmsNorm::forward(const at::Tensor& x) const {
  const at::Tensor x_fp32 = x.to(at::kFloat);
  at::Tensor scale = at::pow(x_fp32, 2).mean(-1, /*keepdim=*/true);
  scale = at::rsqrt(scale + kEpsilon);
  at::Tensor scaled = x_fp32 * scale;
  scaled = weight_ * scaled;
  return scaled.to(x.scalar_type());
}

void RmsNorm::append_parameters(const std::string& path, Parameters& parameters) const {
  parameters.push_back({path + ".weight", weight_});
}

}  // namespace labreport
