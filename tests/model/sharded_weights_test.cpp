// Tests between real processes that sharded weights train like whole ones.
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

using testing_ranks::run_in_ranks;

// With such odd sizes some matrices do not split evenly, so their shards are padded.
constexpr ModelShape kTiny{.d_model = 18, .d_ff = 27, .layers = 3, .heads = 3, .vocab = 31};
constexpr std::int64_t kContext = 8, kSteps = 3;
constexpr double kLearningRate = 0.1;

Transformer make_tiny() {
  at::manual_seed(7);
  return {kTiny, kContext, at::kCPU};
}

Batch whole_batch(std::int64_t step) {
  at::manual_seed(static_cast<std::uint64_t>(100 + step));
  return random_batch(4, kContext, kTiny.vocab, at::kCPU);
}

void take_sgd_step(const Parameters& parameters) {
  const c10::NoGradGuard no_grad;
  for (const Parameter& parameter : parameters) {
    parameter.tensor.detach().sub_(parameter.tensor.grad() * kLearningRate);
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

struct ShardedNetwork {
  Transformer network = make_tiny();
  std::shared_ptr<ShardedWeights> weights;

  ShardedNetwork(RankGroup& group, at::ScalarType compute)
      : weights(std::make_shared<ShardedWeights>(group, compute)) {
    network.shard(weights);
  }

  void step(RankGroup& group, std::int64_t number, Precision precision) {
    compute_gradients(network, part_of_batch(whole_batch(number), group), precision);
    weights->finish_gradients();
    average_gradients(weights->replicated_parameters(network.parameters()), group);
    take_sgd_step(network.parameters());
  }
};

/// Returns the largest difference of any weight. Shards are gathered first.
double largest_difference(ShardedNetwork& sharded, const Transformer& whole) {
  double largest = 0;
  const auto compare = [&](const at::Tensor& a, const at::Tensor& b) {
    largest = std::max(largest, (a - b).abs().max().item<double>());
  };
  for (std::size_t i = 0; i < whole.parameters().size(); ++i) {
    const at::Tensor& part = sharded.network.parameters()[i].tensor;
    std::size_t layer = 0;
    while (layer < sharded.weights->size() && !sharded.weights->shard(layer).is_same(part)) ++layer;
    const bool is_sharded = layer < sharded.weights->size();
    compare(is_sharded ? sharded.weights->whole_matrix(layer) : part, whole.parameters()[i].tensor);
  }
  return largest;
}

TEST(ShardedWeights, EqualWholeWeightsInFp32) {
  run_in_ranks(2, [](RankGroup& group) {
    ShardedNetwork sharded(group, at::kFloat);
    const Transformer whole = make_tiny();
    for (std::int64_t step = 0; step < kSteps; ++step) {
      sharded.step(group, step, Precision::kFp32);
      compute_gradients(whole, part_of_batch(whole_batch(step), group), Precision::kFp32);
      average_gradients(whole.parameters(), group);
      take_sgd_step(whole.parameters());
    }
    EXPECT_EQ(largest_difference(sharded, whole), 0);
    EXPECT_GT(largest_difference(sharded, make_tiny()), 1e-3) << "they have learned";
  });
}

TEST(ShardedWeights, TrainLikeOneProcessOnTheWholeBatch) {
  run_in_ranks(2, [](RankGroup& group) {
    ShardedNetwork sharded(group, at::kFloat);
    const Transformer whole = make_tiny();
    for (std::int64_t step = 0; step < kSteps; ++step) {
      sharded.step(group, step, Precision::kFp32);
      compute_gradients(whole, whole_batch(step), Precision::kFp32);
      take_sgd_step(whole.parameters());
    }
    EXPECT_LT(largest_difference(sharded, whole), 1e-6);
  });
}

/// Sharded gradients are sent in 16 bits, unlike those of whole weights.
TEST(ShardedWeights, StayCloseToWholeWeightsIn16Bits) {
  run_in_ranks(2, [](RankGroup& group) {
    for (const auto& [precision, compute, tolerance] :
         {std::tuple(Precision::kFp16, at::kHalf, 1e-4),
          std::tuple(Precision::kBf16, at::kBFloat16, 1e-3)}) {
      ShardedNetwork sharded(group, compute);
      const Transformer whole = make_tiny();
      for (std::int64_t step = 0; step < kSteps; ++step) {
        sharded.step(group, step, precision);
        compute_gradients(whole, part_of_batch(whole_batch(step), group), precision);
        average_gradients(whole.parameters(), group);
        take_sgd_step(whole.parameters());
      }
      EXPECT_LT(largest_difference(sharded, whole), tolerance) << name(precision);
      EXPECT_GT(largest_difference(sharded, whole), 0) << name(precision);
    }
  });
}

TEST(ShardedWeights, HoldTheCalculatedBytesAndGatherTwoAtOnce) {
  run_in_ranks(2, [](RankGroup& group) {
    ShardedNetwork sharded(group, at::kFloat);
    CellSpec spec;
    spec.model = kTiny;
    spec.ranks = Ranks{2, Collectives::kGloo};
    spec.sharding = Sharding::kWeights;
    EXPECT_EQ(count_bytes(sharded.network.parameters()), held_bytes(spec).parameters);
    // Seven matrices and two norms in each block; an embedding, a head and a final norm.
    EXPECT_EQ(sharded.weights->size(), 2u + 3 * 7);
    EXPECT_EQ(sharded.weights->replicated_parameters(sharded.network.parameters()).size(),
              1u + 3 * 2);
    sharded.step(group, 0, Precision::kFp32);
    EXPECT_EQ(sharded.weights->most_gathered(), 2u)
        << "a layer prefetches the next one after the previous one has finished";
  });
}

TEST(ShardedWeights, RecordTheWaitOfEachLayerAndPass) {
  run_in_ranks(2, [](RankGroup& group) {
    ShardedNetwork sharded(group, at::kBFloat16);
    sharded.step(group, 0, Precision::kBf16);
    const std::vector<GatherWait> waits = sharded.weights->take_waits();
    const std::size_t layers = sharded.weights->size();
    ASSERT_EQ(waits.size(), 2 * layers - 1) << "the embedding's backward needs no weights";
    for (std::size_t i = 0; i < waits.size(); ++i) {
      EXPECT_EQ(waits[i].in_backward, i >= layers);
      EXPECT_EQ(waits[i].layer, i < layers ? i : 2 * layers - 1 - i) << "in reverse in backward";
      EXPECT_GE(waits[i].wait_ns, 0);
    }
    EXPECT_TRUE(sharded.weights->take_waits().empty());
    EXPECT_GT(sharded.weights->time_gather(1), 0);
    EXPECT_EQ(sharded.weights->gathered_bytes(1), 2 * kTiny.d_model * kTiny.d_model);
  });
}

}  // namespace
}  // namespace labreport::sharded_weights_test
