// Tests among real processes that sharded weights train like whole ones.
#include "model/sharded_weights.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/precision.h"
#include "engine/rank_processes.h"
#include "model/parallel_step.h"
#include "model/transformer.h"
#include "plan/sharding.h"

namespace labreport::sharded_weights_test {
namespace {

using testing_ranks::among;

// 31 tokens of 18: matrices that do not split evenly are padded.
constexpr ModelShape kTiny{.d_model = 18, .d_ff = 27, .layers = 3, .heads = 3, .vocab = 31};
constexpr std::int64_t kContext = 8, kSteps = 3;
constexpr double kRate = 0.1;

Transformer tiny() {
  at::manual_seed(7);
  return {kTiny, kContext, at::kCPU};
}

Batch whole_batch(std::int64_t step) {
  at::manual_seed(static_cast<std::uint64_t>(100 + step));
  return random_batch(4, kContext, kTiny.vocab, at::kCPU);
}

void descend(const Parameters& parameters) {
  const c10::NoGradGuard no_grad;
  for (const Parameter& parameter : parameters) {
    parameter.tensor.detach().sub_(parameter.tensor.grad() * kRate);
  }
  clear_gradients(parameters);
}

void compute_gradients(const Transformer& network, const Batch& batch, Precision precision) {
  const at::Tensor loss = [&] {
    const AutocastScope autocast(precision, DeviceKind::kCpu);
    return network.loss(network.forward(batch.ids), batch.targets);
  }();
  loss.backward();
}

struct Sharded {
  Transformer network = tiny();
  std::shared_ptr<ShardedWeights> weights;

  Sharded(RankGroup& group, at::ScalarType compute)
      : weights(std::make_shared<ShardedWeights>(group, compute)) {
    network.shard(weights);
  }

  void step(RankGroup& group, std::int64_t number, Precision precision) {
    compute_gradients(network, part_of_batch(whole_batch(number), group), precision);
    weights->finish_gradients();
    average_gradients(weights->replicated(network.parameters()), group);
    descend(network.parameters());
  }
};

/// The largest difference of any weight; shards are gathered for it.
double largest_difference(Sharded& sharded, const Transformer& whole) {
  double largest = 0;
  const auto compare = [&](const at::Tensor& a, const at::Tensor& b) {
    largest = std::max(largest, (a - b).abs().max().item<double>());
  };
  for (std::size_t i = 0; i < whole.parameters().size(); ++i) {
    const at::Tensor& own = sharded.network.parameters()[i].tensor;
    std::size_t layer = 0;
    while (layer < sharded.weights->size() && !sharded.weights->shard(layer).is_same(own)) ++layer;
    const bool cut = layer < sharded.weights->size();
    compare(cut ? sharded.weights->whole(layer) : own, whole.parameters()[i].tensor);
  }
  return largest;
}

TEST(ShardedWeights, ThreeStepsInFp32AreExactlyThoseOfWholeWeights) {
  among(2, [](RankGroup& group) {
    Sharded sharded(group, at::kFloat);
    const Transformer whole = tiny();
    for (std::int64_t step = 0; step < kSteps; ++step) {
      sharded.step(group, step, Precision::kFp32);
      compute_gradients(whole, part_of_batch(whole_batch(step), group), Precision::kFp32);
      average_gradients(whole.parameters(), group);
      descend(whole.parameters());
    }
    EXPECT_EQ(largest_difference(sharded, whole), 0);
    EXPECT_GT(largest_difference(sharded, tiny()), 1e-3) << "they have learned";
  });
}

TEST(ShardedWeights, TrainAsOneProcessDoesOnTheWholeBatch) {
  among(2, [](RankGroup& group) {
    Sharded sharded(group, at::kFloat);
    const Transformer whole = tiny();
    for (std::int64_t step = 0; step < kSteps; ++step) {
      sharded.step(group, step, Precision::kFp32);
      compute_gradients(whole, whole_batch(step), Precision::kFp32);
      descend(whole.parameters());
    }
    EXPECT_LT(largest_difference(sharded, whole), 1e-6);
  });
}

/// Sharded gradients are sent in 16 bits, unlike those of whole weights.
TEST(ShardedWeights, ThreeStepsIn16BitsAreWithin1e4OfWholeWeights) {
  among(2, [](RankGroup& group) {
    for (const auto& [precision, compute, within] :
         {std::tuple(Precision::kFp16, at::kHalf, 1e-4),
          std::tuple(Precision::kBf16, at::kBFloat16, 1e-3)}) {
      Sharded sharded(group, compute);
      const Transformer whole = tiny();
      for (std::int64_t step = 0; step < kSteps; ++step) {
        sharded.step(group, step, precision);
        compute_gradients(whole, part_of_batch(whole_batch(step), group), precision);
        average_gradients(whole.parameters(), group);
        descend(whole.parameters());
      }
      EXPECT_LT(largest_difference(sharded, whole), within) << name(precision);
      EXPECT_GT(largest_difference(sharded, whole), 0) << name(precision);
    }
  });
}

TEST(ShardedWeights, KeepWhatTheArithmeticSaysAndGatherTwoAtOnce) {
  among(2, [](RankGroup& group) {
    Sharded sharded(group, at::kFloat);
    CellSpec spec;
    spec.model = kTiny;
    spec.ranks = Ranks{2, Collectives::kGloo};
    spec.sharding = Sharding::kWeights;
    EXPECT_EQ(count_bytes(sharded.network.parameters()), held_bytes(spec).parameters);
    EXPECT_EQ(sharded.weights->size(), 2u + 3 * 7);
    EXPECT_EQ(sharded.weights->replicated(sharded.network.parameters()).size(), 1u + 3 * 2);
    sharded.step(group, 0, Precision::kFp32);
    EXPECT_EQ(sharded.weights->most_at_once(), 2u)
        << "a layer's weights are gathered when the one two before has finished, no earlier";
  });
}

TEST(ShardedWeights, TellHowLongEachPassWaited) {
  among(2, [](RankGroup& group) {
    Sharded sharded(group, at::kBFloat16);
    sharded.step(group, 0, Precision::kBf16);
    const std::vector<GatherWait> waits = sharded.weights->take_waits();
    const std::size_t layers = sharded.weights->size();
    ASSERT_EQ(waits.size(), 2 * layers - 1) << "the embedding's backward needs no weights";
    for (std::size_t i = 0; i < waits.size(); ++i) {
      EXPECT_EQ(waits[i].backward, i >= layers);
      EXPECT_EQ(waits[i].layer, i < layers ? i : 2 * layers - 1 - i) << "in reverse in backward";
      EXPECT_GE(waits[i].ns, 0);
    }
    EXPECT_TRUE(sharded.weights->take_waits().empty());
    EXPECT_GT(sharded.weights->time_gather(1), 0);
    EXPECT_EQ(sharded.weights->gathered_bytes(1), 2 * 18 * 18);
  });
}

}  // namespace
}  // namespace labreport::sharded_weights_test
