#include "engine/precision.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace labreport::precision_test {
namespace {

c10::ScalarType product_dtype() {
  const at::Tensor x = at::ones({2, 2});
  return at::linear(x, x).scalar_type();
}

TEST(AutocastScope, CastsProductsUntilItEnds) {
  {
    const AutocastScope scope(Precision::kBf16, DeviceKind::kCpu);
    EXPECT_EQ(product_dtype(), at::kBFloat16);
  }
  EXPECT_EQ(product_dtype(), at::kFloat);
}

TEST(AutocastScope, DoesNothingForFullPrecision) {
  for (const Precision precision : {Precision::kFp32, Precision::kTf32}) {
    const AutocastScope scope(precision, DeviceKind::kCpu);
    EXPECT_EQ(product_dtype(), at::kFloat);
  }
}

TEST(AutocastScope, RestoresDtypeAndCacheAfterAnException) {
  const c10::ScalarType dtype = at::autocast::get_autocast_dtype(at::kCPU);
  at::autocast::set_autocast_cache_enabled(false);
  try {
    const AutocastScope scope(Precision::kFp16, DeviceKind::kCpu);
    EXPECT_TRUE(at::autocast::is_autocast_cache_enabled());
    throw std::runtime_error("in the middle of a step");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  EXPECT_FALSE(at::autocast::is_autocast_cache_enabled());
  EXPECT_EQ(at::autocast::get_autocast_dtype(at::kCPU), dtype);
  at::autocast::set_autocast_cache_enabled(true);
}

TEST(AutocastScope, NestsAndReturnsToTheOuterDtype) {
  const AutocastScope outer(Precision::kBf16, DeviceKind::kCpu);
  {
    const AutocastScope inner(Precision::kFp16, DeviceKind::kCpu);
    EXPECT_EQ(at::autocast::get_autocast_dtype(at::kCPU), at::kHalf);
  }
  EXPECT_TRUE(at::autocast::is_autocast_enabled(at::kCPU));
  EXPECT_EQ(product_dtype(), at::kBFloat16);
}

TEST(SetTf32, TurnsTf32OnOnlyForKTf32) {
  at::globalContext().setAllowTF32CuBLAS(true);
  for (const Precision precision : {Precision::kFp32, Precision::kBf16, Precision::kFp16}) {
    set_tf32(precision);
    EXPECT_FALSE(at::globalContext().allowTF32CuBLAS()) << name(precision);
    EXPECT_FALSE(at::globalContext().allowTF32CuDNN()) << name(precision);
    set_tf32(Precision::kTf32);
    EXPECT_TRUE(at::globalContext().allowTF32CuBLAS());
  }
}

}  // namespace
}  // namespace labreport::precision_test
