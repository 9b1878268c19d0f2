#include "measure/catalog.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/randn.h>
#include <c10/core/GradMode.h>

#include <array>
#include <cmath>

#include "engine/device.h"
#include "measure/precision/normalize.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::int64_t kVectors = 16;  // for each scale
constexpr std::int64_t kMinScaleLog2 = -24, kMaxScaleLog2 = 14;
constexpr std::array<std::int64_t, 3> kWidths{10, 768, 2560};

struct NumberFormat {
  Precision precision;
  c10::ScalarType dtype;
};
constexpr NumberFormat kFormats[]{{Precision::kFp16, c10::kHalf},
                                  {Precision::kBf16, c10::kBFloat16},
                                  {Precision::kFp32, c10::kFloat}};

constexpr std::pair<std::string_view, NormMethod> kMethods[]{
    {metric::kRounded, NormMethod::kRoundEveryAddition},
    {metric::kReductions, NormMethod::kTorchReductions},
    {metric::kFp32Statistics, NormMethod::kFp32Statistics}};

/// Returns [scales, vectors, width] in FP64: the same vectors times a power of two for each scale.
at::Tensor scaled_vectors(std::int64_t width, c10::Device device) {
  const auto options = at::TensorOptions().dtype(c10::kDouble).device(device);
  const at::Tensor exponents = at::arange(kMinScaleLog2, kMaxScaleLog2 + 1, options);
  return at::randn({1, kVectors, width}, options) * at::pow(2.0, exponents).reshape({-1, 1, 1});
}

/// Returns weight and bias close to those of trained networks, the same for every format.
Affine random_affine(std::int64_t width, c10::Device device) {
  const auto options = at::TensorOptions().dtype(c10::kDouble).device(device);
  return {1 + 0.1 * at::randn({width}, options), 0.1 * at::randn({width}, options)};
}

/// Returns the median error over the vectors of one scale. Vectors without a finite FP64 value do
/// not count. Returns null if the median is not finite.
Scalar median_error(const at::Tensor& errors, std::int64_t scale_index) {
  const double value = errors.select(0, scale_index).nanmedian().item<double>();
  return std::isfinite(value) ? Scalar(value) : Scalar();
}

Scalar count_flagged(const at::Tensor& flags, std::int64_t scale_index) {
  return flags.select(0, scale_index).sum().item<std::int64_t>();
}

void add_rows(Table& table, const NumberFormat& format, std::string_view method_name,
              std::int64_t width, const NormErrors& errors) {
  for (std::int64_t i = 0; i <= kMaxScaleLog2 - kMinScaleLog2; ++i) {
    table.rows.push_back(
        {std::string(name(format.precision)), std::string(method_name), width, kMinScaleLog2 + i,
         median_error(errors.mean, i), median_error(errors.squares, i),
         median_error(errors.variance, i), median_error(errors.rstd, i),
         median_error(errors.output, i), count_flagged(errors.input_overflow, i),
         count_flagged(errors.square_overflow, i), count_flagged(errors.sum_overflow, i),
         count_flagged(errors.underflow, i)});
  }
}

}  // namespace

Launch measure_layer_norm(const LaunchRequest& request) {
  const c10::NoGradGuard no_grad;
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  const c10::Device device = torch_device(request.spec.device);
  Table table = empty_table(metric::kLayerNorm);
  for (const std::int64_t width : kWidths) {
    const at::Tensor vectors = scaled_vectors(width, device);
    const Affine affine = random_affine(width, device);
    for (const NumberFormat& format : kFormats) {
      const at::Tensor x = vectors.to(format.dtype);
      for (const auto& [method_name, method] : kMethods) {
        add_rows(table, format, method_name, width, errors_of(x, affine, method));
      }
    }
  }
  Launch launch;
  launch.metrics.push_back(integer_metric(metric::kLayerNorm, metric::kVectors, "1", kVectors));
  launch.tables.push_back(std::move(table));
  return launch;
}

}  // namespace labreport
