#include "measure/precision/normalize.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "measure/catalog.h"
#include "results/metric_names.h"

namespace labreport::layer_norm_test {
namespace {

Affine identity_affine(std::int64_t width) {
  return {at::ones({width}, at::kDouble), at::zeros({width}, at::kDouble)};
}

/// Returns `value` and −`value` in turns: the mean is 0, and each square is `value`².
at::Tensor alternating(double value, std::int64_t width, c10::ScalarType dtype) {
  at::Tensor x = at::ones({1, width}, at::kDouble) * value;
  x.slice(-1, 1, std::nullopt, 2).neg_();
  return x.to(dtype);
}

NormErrors rounded_errors(const at::Tensor& x) {
  return errors_of(x, identity_affine(x.size(-1)), NormMethod::kRoundEveryAddition);
}

bool any(const at::Tensor& flags) { return flags.any().item<bool>(); }

TEST(LayerNorm, Fp16SquaresOverflowFrom256On) {
  EXPECT_FALSE(any(rounded_errors(alternating(255.75, 10, at::kHalf)).square_overflow));
  EXPECT_TRUE(any(rounded_errors(alternating(256, 10, at::kHalf)).square_overflow));
  EXPECT_FALSE(any(rounded_errors(alternating(256, 10, at::kBFloat16)).square_overflow));
}

TEST(LayerNorm, AnFp16SumOverflowsBeforeItsSquaresDo) {
  // 2,560 squares of 8 are 163,840, beyond 65,504; those of 4 are 40,960.
  EXPECT_TRUE(any(rounded_errors(alternating(8, 2560, at::kHalf)).sum_overflow));
  EXPECT_FALSE(any(rounded_errors(alternating(4, 2560, at::kHalf)).sum_overflow));
  const auto reduction_errors = errors_of(alternating(8, 2560, at::kHalf), identity_affine(2560),
                                          NormMethod::kTorchReductions);
  EXPECT_FALSE(any(reduction_errors.sum_overflow));
}

TEST(LayerNorm, SeparatesInputOverflowFromSquareOverflow) {
  const NormErrors errors = rounded_errors(alternating(1e5, 10, at::kHalf));
  EXPECT_TRUE(any(errors.input_overflow));
  EXPECT_FALSE(any(errors.square_overflow));
  EXPECT_TRUE(any(errors.output.isnan()));  // without a finite FP64 value there is no error
}

TEST(LayerNorm, ASquareOverflowLosesTheWholeOutput) {
  const NormErrors errors = rounded_errors(alternating(512, 10, at::kHalf));
  EXPECT_TRUE(any(errors.variance.isinf()));
  EXPECT_NEAR(errors.output.item<double>(), 1, 1e-3);  // rsqrt(infinity) is 0
}

TEST(LayerNorm, MarksAVarianceOfZero) {
  EXPECT_TRUE(any(rounded_errors(alternating(0x1p-20, 10, at::kHalf)).underflow));
  EXPECT_FALSE(any(rounded_errors(alternating(0x1p-20, 10, at::kBFloat16)).underflow));
}

TEST(LayerNorm, Fp32StatisticsLeaveTheOutputsRoundingAlone) {
  const at::Tensor x = at::randn({8, 768}, at::kDouble).to(at::kBFloat16);
  const auto error = [&](NormMethod method) {
    return errors_of(x, identity_affine(768), method).output.max().item<double>();
  };
  EXPECT_LT(error(NormMethod::kFp32Statistics), 0x1p-8);
  EXPECT_LT(error(NormMethod::kFp32Statistics), error(NormMethod::kTorchReductions));
  EXPECT_LT(error(NormMethod::kTorchReductions), error(NormMethod::kRoundEveryAddition));
}

TEST(LayerNorm, HasARowForEachFormatMethodWidthAndScale) {
  LaunchRequest request;
  request.spec.kind = CellKind::kLayerNorm;
  request.spec.device = DeviceKind::kCpu;
  const Launch launch = measure_layer_norm(request);
  ASSERT_EQ(launch.tables.size(), 1u);
  EXPECT_EQ(launch.tables[0].rows.size(), 3u * 3u * 3u * 39u);  // scales from 2⁻²⁴ to 2¹⁴
  for (const auto& row : launch.tables[0].rows) {
    ASSERT_EQ(row.size(), launch.tables[0].columns.size());
  }
}

}  // namespace
}  // namespace labreport::layer_norm_test
