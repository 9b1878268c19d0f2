#include "model/training_step.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "model/transformer.h"

namespace labreport::training_step_test {
namespace {

constexpr ModelShape kTiny{.d_model = 16, .d_ff = 24, .layers = 1, .heads = 2, .vocab = 30};

struct Recorder : PhaseObserver {
  void on_phase_end(Phase phase) override { phases.push_back(phase); }
  std::vector<Phase> phases;
};

class TrainingStepTest : public testing::Test {
 protected:
  TrainingStep step(Mode mode, Precision precision = Precision::kFp32) {
    return TrainingStep(network_, random_batch(2, 8, 30, at::kCPU),
                        {mode, precision, DeviceKind::kCpu});
  }
  bool has_gradients() const { return network_.parameters().front().tensor.grad().defined(); }

  Transformer network_{kTiny, 8, at::kCPU};
  Recorder observer_;
};

TEST_F(TrainingStepTest, ReportsThePhasesOfItsModeInOrder) {
  for (const Mode mode :
       {Mode::kInference, Mode::kForward, Mode::kForwardBackward, Mode::kTrainStep}) {
    observer_.phases.clear();
    step(mode).run(observer_);
    EXPECT_EQ(observer_.phases, phases(mode)) << name(mode);
    EXPECT_EQ(latest_phase(), phases(mode).back());
  }
}

TEST_F(TrainingStepTest, RecordsNoGraphInInference) {
  TrainingStep inference = step(Mode::kInference);
  inference.run(observer_);
  EXPECT_FALSE(inference.logits().requires_grad());
  TrainingStep forward = step(Mode::kForward);
  forward.run(observer_);
  EXPECT_TRUE(forward.logits().requires_grad());
  EXPECT_FALSE(forward.loss().defined());
}

TEST_F(TrainingStepTest, KeepsTensorsUntilCleared) {
  TrainingStep forward_backward = step(Mode::kForwardBackward);
  forward_backward.run(observer_);
  EXPECT_TRUE(forward_backward.loss().defined());
  EXPECT_TRUE(has_gradients());
  forward_backward.clear();
  EXPECT_FALSE(forward_backward.loss().defined());
  EXPECT_FALSE(forward_backward.logits().defined());
  EXPECT_FALSE(has_gradients());
}

TEST_F(TrainingStepTest, OnlyATrainStepChangesTheWeights) {
  const at::Tensor before = network_.parameters().back().tensor.detach().clone();
  step(Mode::kForwardBackward).run(observer_);
  EXPECT_TRUE(network_.parameters().back().tensor.equal(before));
  clear_gradients(network_.parameters());
  step(Mode::kTrainStep).run(observer_);
  EXPECT_FALSE(network_.parameters().back().tensor.equal(before));
}

TEST_F(TrainingStepTest, KeepsGradientsInFp32UnderAutocast) {
  TrainingStep mixed = step(Mode::kForwardBackward, Precision::kBf16);
  mixed.run(observer_);
  EXPECT_EQ(mixed.logits().scalar_type(), at::kBFloat16);
  EXPECT_EQ(network_.parameters().back().tensor.grad().scalar_type(), at::kFloat);
}

/// A network whose first forward compiles it.
struct CompiledTransformer : Transformer {
  using Transformer::Transformer;
  bool compiles() const override { return true; }
  at::Tensor forward(const at::Tensor& ids) const override {
    ++forwards;
    return Transformer::forward(ids);
  }
  mutable int forwards = 0;
};

TEST_F(TrainingStepTest, CompilesWithoutChangingWeights) {
  const CompiledTransformer network(kTiny, 8, at::kCPU);
  const at::Tensor before = network.parameters().back().tensor.detach().clone();
  TrainingStep training(network, random_batch(2, 8, 30, at::kCPU),
                        {Mode::kTrainStep, Precision::kBf16, DeviceKind::kCpu});
  EXPECT_GT(training.compile().value(), 0);
  EXPECT_EQ(network.forwards, 1);
  EXPECT_TRUE(network.parameters().back().tensor.equal(before));
  EXPECT_FALSE(network.parameters().back().tensor.grad().defined());
  EXPECT_FALSE(training.logits().defined());
}

TEST_F(TrainingStepTest, RunsNothingIfTheNetworkNeedsNoCompilation) {
  EXPECT_EQ(step(Mode::kTrainStep).compile(), std::nullopt);
  EXPECT_FALSE(has_gradients());
}

TEST(RandomBatch, HoldsIdsOfTheVocabulary) {
  const Batch batch = random_batch(4, 100, 7, at::kCPU);
  EXPECT_EQ(batch.ids.sizes(), (at::IntArrayRef{4, 100}));
  EXPECT_EQ(batch.ids.min().item<std::int64_t>(), 0);
  EXPECT_EQ(batch.targets.max().item<std::int64_t>(), 6);
}

}  // namespace
}  // namespace labreport::training_step_test
