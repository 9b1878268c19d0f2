#include "model/init.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <cmath>

namespace labreport {
namespace {

constexpr double kStd = 0.02;
// Standard deviation of a standard normal that is cut at ±3.
constexpr double kStdOfTruncated = 0.98658;

at::Tensor drawn(std::uint64_t seed) {
  at::manual_seed(seed);
  return truncated_normal({500, 1000}, kStd, at::kCPU).detach().to(at::kDouble);
}

TEST(TruncatedNormal, HasTheMomentsOfATruncatedNormal) {
  const at::Tensor weight = drawn(1);
  EXPECT_NEAR(weight.mean().item<double>(), 0.0, kStd / 200);
  EXPECT_NEAR(weight.std().item<double>(), kStd * kStdOfTruncated, kStd / 200);
}

TEST(TruncatedNormal, IsNormalWithinItsBounds) {
  const at::Tensor weight = drawn(2);
  const double within_one = weight.abs().le(kStd).to(at::kDouble).mean().item<double>();
  EXPECT_NEAR(within_one, 0.6827 / 0.9973, 0.003);
}

TEST(TruncatedNormal, NeverExceedsThreeDeviations) {
  const double largest = drawn(3).abs().max().item<double>();
  EXPECT_LE(largest, 3 * kStd * (1 + 1e-6));
  EXPECT_GT(largest, 2.9 * kStd);
}

TEST(TruncatedNormal, IsTheSameForTheSameSeed) {
  EXPECT_TRUE(drawn(4).equal(drawn(4)));
  EXPECT_FALSE(drawn(4).equal(drawn(5)));
}

TEST(TruncatedNormal, IsATrainableLeaf) {
  const at::Tensor weight = truncated_normal({2, 3}, 1.0, at::kCPU);
  EXPECT_TRUE(weight.requires_grad());
  EXPECT_TRUE(weight.is_leaf());
}

TEST(LinearStd, IsThatOfTheHandout) {
  EXPECT_DOUBLE_EQ(linear_std(768, 3072), std::sqrt(2.0 / 3840));
}

}  // namespace
}  // namespace labreport
