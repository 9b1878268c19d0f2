#include "model/init.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cmath>

namespace labreport::init_test {
namespace {

constexpr double kStd = 0.02;
// The standard deviation of a standard normal that is truncated at ±3.
constexpr double kTruncatedStd = 0.98658;
// The fourth moment of a standard normal that is truncated at ±3: 3·E[x²] − 2·3³·φ(3)/(2Φ(3) − 1).
constexpr double kTruncatedFourthMoment = 2.68004;

at::Tensor draw_weight(std::uint64_t seed) {
  at::manual_seed(seed);
  const at::Tensor weight = trainable_empty({500, 1000}, at::kCPU);
  draw_truncated_normal(weight, kStd);
  return weight.detach().to(at::kDouble);
}

TEST(TruncatedNormal, HasTheMomentsOfATruncatedNormal) {
  const at::Tensor weight = draw_weight(1);
  EXPECT_NEAR(weight.mean().item<double>(), 0.0, kStd / 200);
  EXPECT_NEAR(weight.std().item<double>(), kStd * kTruncatedStd, kStd / 200);
}

TEST(TruncatedNormal, HasTheTailsOfATruncatedNormal) {
  const at::Tensor standard = draw_weight(6) / kStd;
  const double beyond_two = standard.abs().gt(2).to(at::kDouble).mean().item<double>();
  // A normal value lies within 2 deviations with probability 0.9545, within 3 with 0.9973.
  EXPECT_NEAR(beyond_two, (0.9973 - 0.9545) / 0.9973, 0.001);
  EXPECT_NEAR(standard.pow(3).mean().item<double>(), 0.0, 0.02);
  EXPECT_NEAR(standard.pow(4).mean().item<double>(), kTruncatedFourthMoment, 0.03);
}

TEST(TruncatedNormal, NeverExceedsThreeDeviations) {
  const at::Tensor magnitudes = draw_weight(3).abs();
  EXPECT_LE(magnitudes.max().item<double>(), 3 * kStd * (1 + 1e-6));
  EXPECT_GT(magnitudes.max().item<double>(), 2.9 * kStd);
  // Values beyond the bound are drawn anew and not clamped, so hardly any are on the bound.
  EXPECT_LE(magnitudes.ge(3 * kStd * (1 - 1e-6)).sum().item<std::int64_t>(), 1);
}

TEST(TruncatedNormal, IsTheSameForTheSameSeed) {
  EXPECT_TRUE(draw_weight(4).equal(draw_weight(4)));
  EXPECT_FALSE(draw_weight(4).equal(draw_weight(5)));
}

TEST(Initialize, DrawsOnlyParametersWithAStd) {
  const at::Tensor with_std = trainable_ones(1000, at::kCPU);
  const at::Tensor without_std = trainable_ones(1000, at::kCPU);
  initialize({{"drawn", with_std, kStd}, {"left", without_std}});
  EXPECT_LE(with_std.abs().max().item<double>(), 3 * kStd * (1 + 1e-6));
  EXPECT_TRUE(without_std.eq(1).all().item<bool>());
}

TEST(LinearStd, DependsOnBothWidths) {
  EXPECT_DOUBLE_EQ(linear_std(768, 3072), std::sqrt(2.0 / (768 + 3072)));
}

}  // namespace
}  // namespace labreport::init_test
