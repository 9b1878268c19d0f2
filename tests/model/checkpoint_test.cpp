// Tests that checkpoints change what is held and when it is computed, but no result.
#include "model/checkpoint.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/precision.h"
#include "engine/range.h"
#include "model/transformer.h"

namespace labreport::checkpoint_test {
namespace {

constexpr ModelShape kTiny{.d_model = 16, .d_ff = 24, .layers = 5, .heads = 2, .vocab = 30};

/// The loss of one forward; the network's parameters have their gradients.
at::Tensor trained(const Transformer& network, Precision precision) {
  at::manual_seed(2);
  const at::Tensor ids = at::randint(30, {3, 8}, at::kLong);
  at::Tensor loss;
  {
    const AutocastScope autocast(precision, DeviceKind::kCpu);
    loss = network.loss(network.forward(ids), ids);
  }
  loss.backward();
  return loss;
}

Transformer network_of(std::optional<std::int64_t> group) {
  at::manual_seed(1);
  return Transformer(kTiny, 8, at::kCPU, Variant::kMatmul, group);
}

/// A block that squares, and counts how often it runs and whether a graph was recorded.
struct Counted {
  int runs = 0, recorded = 0;
  at::Tensor weight = at::full({}, 3.0).requires_grad_();

  CheckpointedFunction function() {
    return [this](const at::Tensor& x) {
      ++runs;
      if (c10::GradMode::is_enabled()) ++recorded;
      return weight * x * x;
    };
  }
};

TEST(Checkpoint, RunsOnceWithoutAGraphAndOnceMoreInBackwardWithOne) {
  Counted counted;
  const at::Tensor x = at::full({}, 5.0).requires_grad_();
  const at::Tensor y = checkpoint(counted.function(), x);
  EXPECT_EQ(y.item<double>(), 75);
  EXPECT_EQ(counted.runs, 1);
  EXPECT_EQ(counted.recorded, 0);
  y.backward();
  EXPECT_EQ(counted.runs, 2);
  EXPECT_EQ(counted.recorded, 1);
  EXPECT_EQ(x.grad().item<double>(), 2 * 3 * 5);
  EXPECT_EQ(counted.weight.grad().item<double>(), 25);
}

TEST(Checkpoint, AddsToTheGradientsThatParametersHave) {
  Counted counted;
  const at::Tensor x = at::full({}, 5.0).requires_grad_();
  for (int i = 0; i < 2; ++i) checkpoint(counted.function(), x).backward();
  EXPECT_EQ(counted.weight.grad().item<double>(), 2 * 25);
}

TEST(Checkpoint, WithoutGradientsOnlyRuns) {
  Counted counted;
  const c10::AutoGradMode off(false);
  EXPECT_FALSE(checkpoint(counted.function(), at::full({}, 5.0)).requires_grad());
  EXPECT_EQ(counted.runs, 1);
}

TEST(Checkpoint, RefusesAnInputThroughWhichNoGradientWouldReachItsParameters) {
  Counted counted;
  EXPECT_THROW(checkpoint(counted.function(), at::full({}, 5.0)), Error);
}

TEST(Checkpoint, RunsAgainUnderTheAutocastOfItsForward) {
  const at::Tensor weight = at::randn({4, 4}).requires_grad_();
  std::vector<at::ScalarType> types;
  const CheckpointedFunction product = [&](const at::Tensor& x) {
    types.push_back(x.matmul(weight).scalar_type());
    return x.matmul(weight);
  };
  const at::Tensor x = at::randn({4, 4}).requires_grad_();
  at::Tensor y;
  {
    const AutocastScope autocast(Precision::kBf16, DeviceKind::kCpu);
    y = checkpoint(product, x);
  }
  y.sum().backward();
  EXPECT_EQ(types, (std::vector{at::kBFloat16, at::kBFloat16}));
  {
    y = checkpoint(product, x);
    const AutocastScope autocast(Precision::kBf16, DeviceKind::kCpu);
    y.sum().backward();  // off in forward, on around backward
  }
  EXPECT_EQ(types.back(), at::kFloat);
}

TEST(Checkpoint, TellsOfItsRecomputationAsARange) {
  struct : RangeObserver {
    void opened(std::string_view name) override { names.emplace_back(name); }
    void closed() override {}
    std::vector<std::string> names;
  } observer;
  Counted counted;
  const at::Tensor x = at::full({}, 5.0).requires_grad_();
  const at::Tensor y = checkpoint(counted.function(), x);
  const ObservedRanges observed(observer);
  y.backward();
  EXPECT_EQ(observer.names, (std::vector<std::string>{"recompute"}));
}

class Checkpoints : public testing::TestWithParam<Precision> {};

TEST_P(Checkpoints, GiveTheLossAndEveryGradientOfTheNetworkWithoutThem) {
  const Transformer plain = network_of(std::nullopt);
  const at::Tensor loss = trained(plain, GetParam());
  for (const std::int64_t group : {1, 2, 3, 5}) {  // 2 and 3 leave fewer for the last
    const Transformer other = network_of(group);
    EXPECT_TRUE(trained(other, GetParam()).equal(loss)) << group;
    for (std::size_t i = 0; i < plain.parameters().size(); ++i) {
      const Parameter& parameter = plain.parameters()[i];
      EXPECT_TRUE(other.parameters()[i].tensor.grad().equal(parameter.tensor.grad()))
          << group << " " << parameter.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, Checkpoints,
                         testing::Values(Precision::kFp32, Precision::kBf16),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace labreport::checkpoint_test
