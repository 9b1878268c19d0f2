#include "model/fused_adamw.h"

#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <gtest/gtest.h>

namespace labreport::fused_adamw_test {
namespace {

Parameters parameters() {
  return {{"a", at::randn({3, 4}).requires_grad_()}, {"b", at::randn({5}).requires_grad_()}};
}

Parameters copies(const Parameters& all) {
  Parameters copied;
  for (const Parameter& one : all) {
    copied.push_back({one.name, one.tensor.detach().clone().requires_grad_()});
  }
  return copied;
}

TEST(FusedAdamW, TakesTheStepsThatAdamWTakes) {
  const Parameters fused = parameters(), plain = copies(fused);
  FusedAdamW one(fused);
  AdamW other(plain);
  for (int step = 0; step < 4; ++step) {
    for (std::size_t i = 0; i < fused.size(); ++i) {
      fused[i].tensor.mutable_grad() = at::randn_like(fused[i].tensor);
      plain[i].tensor.mutable_grad() = fused[i].tensor.grad().clone();
    }
    one.step();
    other.step();
  }
  for (std::size_t i = 0; i < fused.size(); ++i) {
    EXPECT_TRUE(fused[i].tensor.allclose(plain[i].tensor, 1e-5, 1e-6)) << fused[i].name;
  }
}

TEST(FusedAdamW, HoldsTwoMomentsAParameterFromTheBeginning) {
  const FusedAdamW optimizer(parameters());
  ASSERT_EQ(optimizer.state().size(), 4u);
  EXPECT_EQ(optimizer.state().front().name, "a.m");
}

}  // namespace
}  // namespace labreport::fused_adamw_test
