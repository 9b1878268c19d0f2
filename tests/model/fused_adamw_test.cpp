#include "model/fused_adamw.h"

#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <gtest/gtest.h>

namespace labreport::fused_adamw_test {
namespace {

Parameters random_parameters() {
  return {{"a", at::randn({3, 4}).requires_grad_()}, {"b", at::randn({5}).requires_grad_()}};
}

Parameters copies(const Parameters& parameters) {
  Parameters copied;
  for (const Parameter& parameter : parameters) {
    copied.push_back({parameter.name, parameter.tensor.detach().clone().requires_grad_()});
  }
  return copied;
}

TEST(FusedAdamW, EqualsAdamW) {
  const Parameters fused = random_parameters(), plain = copies(fused);
  FusedAdamW fused_optimizer(fused);
  AdamW plain_optimizer(plain);
  for (int step = 0; step < 4; ++step) {
    for (std::size_t i = 0; i < fused.size(); ++i) {
      fused[i].tensor.mutable_grad() = at::randn_like(fused[i].tensor);
      plain[i].tensor.mutable_grad() = fused[i].tensor.grad().clone();
    }
    fused_optimizer.step();
    plain_optimizer.step();
  }
  for (std::size_t i = 0; i < fused.size(); ++i) {
    EXPECT_TRUE(fused[i].tensor.allclose(plain[i].tensor, 1e-5, 1e-6)) << fused[i].name;
  }
}

TEST(FusedAdamW, CreatesTwoMomentsForEachParameter) {
  const FusedAdamW optimizer(random_parameters());
  ASSERT_EQ(optimizer.state().size(), 4u);
  EXPECT_EQ(optimizer.state().front().name, "a.m");
}

}  // namespace
}  // namespace labreport::fused_adamw_test
