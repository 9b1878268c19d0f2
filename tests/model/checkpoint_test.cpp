// Tests that checkpoints change which tensors are kept and when blocks run, but no result.
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

/// Returns the loss of one step and leaves the gradients in the parameters.
at::Tensor compute_gradients(const Transformer& network, Precision precision) {
  at::manual_seed(2);
  const at::Tensor ids = at::randint(kTiny.vocab, {3, 8}, at::kLong);
  at::Tensor loss;
  {
    const AutocastScope autocast(precision, DeviceKind::kCpu);
    loss = network.loss(network.forward(ids), ids);
  }
  loss.backward();
  return loss;
}

Transformer make_checkpointed(std::optional<std::int64_t> blocks_per_checkpoint) {
  at::manual_seed(1);
  return Transformer(kTiny, 8, at::kCPU, Variant::kMatmul, blocks_per_checkpoint);
}

/// Squares its input, times a weight, and counts its runs and those that record a graph.
struct CountedSquare {
  int runs = 0, recorded_runs = 0;
  at::Tensor weight = at::full({}, 3.0).requires_grad_();

  CheckpointedFunction function() {
    return [this](const at::Tensor& x) {
      ++runs;
      if (c10::GradMode::is_enabled()) ++recorded_runs;
      return weight * x * x;
    };
  }
};

TEST(Checkpoint, RecordsAGraphOnlyInBackward) {
  CountedSquare square;
  const at::Tensor x = at::full({}, 5.0).requires_grad_();
  const at::Tensor y = checkpoint(square.function(), x);
  EXPECT_EQ(y.item<double>(), 3 * 5 * 5);
  EXPECT_EQ(square.runs, 1);
  EXPECT_EQ(square.recorded_runs, 0);
  y.backward();
  EXPECT_EQ(square.runs, 2);
  EXPECT_EQ(square.recorded_runs, 1);
  EXPECT_EQ(x.grad().item<double>(), 2 * 3 * 5);
  EXPECT_EQ(square.weight.grad().item<double>(), 5 * 5);
}

TEST(Checkpoint, AccumulatesGradients) {
  CountedSquare square;
  const at::Tensor x = at::full({}, 5.0).requires_grad_();
  for (int i = 0; i < 2; ++i) checkpoint(square.function(), x).backward();
  EXPECT_EQ(square.weight.grad().item<double>(), 2 * 5 * 5);
}

TEST(Checkpoint, RunsOnceIfGradModeIsOff) {
  CountedSquare square;
  const c10::AutoGradMode no_gradients(false);
  EXPECT_FALSE(checkpoint(square.function(), at::full({}, 5.0)).requires_grad());
  EXPECT_EQ(square.runs, 1);
}

TEST(Checkpoint, RefusesAnInputThatRequiresNoGradient) {
  CountedSquare square;
  EXPECT_THROW(checkpoint(square.function(), at::full({}, 5.0)), Error);
}

TEST(Checkpoint, RecomputesUnderForwardsAutocast) {
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
    y.sum().backward();  // autocast is off in forward and on around backward
  }
  EXPECT_EQ(types.back(), at::kFloat);
}

TEST(Checkpoint, OpensARangeForRecomputation) {
  struct : RangeObserver {
    void on_open(std::string_view name) override { names.emplace_back(name); }
    void on_close() override {}
    std::vector<std::string> names;
  } observer;
  CountedSquare square;
  const at::Tensor x = at::full({}, 5.0).requires_grad_();
  const at::Tensor y = checkpoint(square.function(), x);
  const RangeObserverScope scope(observer);
  y.backward();
  EXPECT_EQ(observer.names, (std::vector<std::string>{"recompute"}));
}

class Checkpoints : public testing::TestWithParam<Precision> {};

TEST_P(Checkpoints, ChangeNeitherLossNorGradients) {
  const Transformer plain = make_checkpointed(std::nullopt);
  const at::Tensor loss = compute_gradients(plain, GetParam());
  for (const std::int64_t blocks : {1, 2, 3, 5}) {  // with 2 and 3 the last checkpoint is smaller
    const Transformer other = make_checkpointed(blocks);
    EXPECT_TRUE(compute_gradients(other, GetParam()).equal(loss)) << blocks;
    for (std::size_t i = 0; i < plain.parameters().size(); ++i) {
      const Parameter& parameter = plain.parameters()[i];
      EXPECT_TRUE(other.parameters()[i].tensor.grad().equal(parameter.tensor.grad()))
          << blocks << " " << parameter.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, Checkpoints,
                         testing::Values(Precision::kFp32, Precision::kBf16),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace labreport::checkpoint_test
