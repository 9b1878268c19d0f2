// Tests between real processes that a sharded optimizer computes what a whole one does.
#include "model/sharded_optimizer.h"

#include <ATen/Context.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "engine/rank_processes.h"
#include "model/adamw.h"
#include "model/training_step.h"
#include "model/transformer.h"
#include "plan/sharding.h"

namespace labreport::sharded_optimizer_test {
namespace {

using testing_ranks::run_in_ranks;

constexpr ModelShape kTiny{.d_model = 16, .d_ff = 24, .layers = 2, .heads = 2, .vocab = 30};
constexpr std::int64_t kContext = 8;
constexpr AdamWOptions kOptions{.learning_rate = 0.1, .weight_decay = 0.1};

Transformer make_tiny() {
  at::manual_seed(7);
  return {kTiny, kContext, at::kCPU};
}

std::unique_ptr<Optimizer> adamw(Parameters parameters) {
  return std::make_unique<AdamW>(std::move(parameters), kOptions);
}

/// `seed` differs between ranks, so that their gradients differ until they are averaged.
void compute_gradients(const Transformer& network, std::int64_t seed) {
  at::manual_seed(static_cast<std::uint64_t>(seed));
  const Batch batch = random_batch(2, kContext, kTiny.vocab, at::kCPU);
  clear_gradients(network.parameters());
  network.loss(network.forward(batch.ids), batch.targets).backward();
}

void expect_equal(const Parameters& a, const Parameters& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(at::equal(a[i].tensor, b[i].tensor)) << a[i].name;
  }
}

TEST(ShardedOptimizer, EqualsAWholeAdamWForTenSteps) {
  run_in_ranks(2, [](RankGroup& group) {
    const Transformer sharded = make_tiny(), plain = make_tiny(), untrained = make_tiny();
    ShardedOptimizer optimizer(sharded.parameters(), group, adamw);
    const auto whole = adamw(plain.parameters());
    for (std::int64_t step = 0; step < 10; ++step) {
      for (const Transformer* network : {&sharded, &plain}) {
        compute_gradients(*network, 10 * step + group.rank());
        average_gradients(network->parameters(), group);
      }
      optimizer.step();
      whole->step();
    }
    expect_equal(sharded.parameters(), plain.parameters());
    EXPECT_FALSE(at::equal(plain.parameters()[0].tensor, untrained.parameters()[0].tensor));
  });
}

TEST(ShardedOptimizer, HoldsOnlyTheStateOfOwnedParameters) {
  run_in_ranks(2, [](RankGroup& group) {
    const Transformer network = make_tiny();
    ShardedOptimizer optimizer(network.parameters(), group, adamw);
    compute_gradients(network, 1);
    average_gradients(network.parameters(), group);
    optimizer.step();
    const std::int64_t own_bytes = count_bytes(optimizer.state());
    std::int64_t total_bytes = 0, most_bytes = 0;
    for (const auto& rank : group.all_gather({own_bytes})) {
      total_bytes += rank[0];
      most_bytes = std::max(most_bytes, rank[0]);
    }
    const std::int64_t parameter_bytes = count_bytes(network.parameters());
    EXPECT_EQ(total_bytes, 2 * parameter_bytes) << "two moments of each, once";
    EXPECT_LT(own_bytes, total_bytes);
    EXPECT_NEAR(static_cast<double>(most_bytes) / static_cast<double>(total_bytes),
                largest_owned_fraction(kTiny, 2), 1e-12);
  });
}

TEST(AverageGradients, IsTheMeanOverTheRanks) {
  run_in_ranks(2, [](RankGroup& group) {
    const Transformer network = make_tiny();
    at::Tensor weight = network.parameters()[0].tensor;
    weight.mutable_grad() = at::empty_like(weight).fill_(static_cast<double>(group.rank()));
    average_gradients(network.parameters(), group);
    EXPECT_EQ(weight.grad().min().item<float>(), 0.5f);
    EXPECT_EQ(weight.grad().max().item<float>(), 0.5f);
    EXPECT_FALSE(network.parameters()[1].tensor.grad().defined());
  });
}

TEST(BroadcastFromRank0, GivesAllRanksTheSameWeights) {
  run_in_ranks(2, [](RankGroup& group) {
    at::manual_seed(static_cast<std::uint64_t>(100 + group.rank()));
    const Transformer other(kTiny, kContext, at::kCPU);
    broadcast_from_rank_0(other.parameters(), group);
    at::manual_seed(100);
    expect_equal(other.parameters(), Transformer(kTiny, kContext, at::kCPU).parameters());
  });
}

TEST(ParameterSizes, EqualThoseOfTheNetwork) {
  const Transformer network = make_tiny();
  const std::vector<ParameterSize> sizes = parameter_sizes(kTiny);
  ASSERT_EQ(sizes.size(), network.parameters().size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Parameter& parameter = network.parameters()[i];
    EXPECT_EQ(sizes[i].elements, parameter.tensor.numel()) << parameter.name;
    EXPECT_EQ(sizes[i].is_matrix, parameter.tensor.dim() == 2) << parameter.name;
  }
}

}  // namespace
}  // namespace labreport::sharded_optimizer_test
