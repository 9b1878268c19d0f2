// Tests collectives between real processes.
#include "engine/rank_group.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "engine/rank_processes.h"

namespace labreport::rank_group_test {
namespace {

using testing_ranks::run_in_ranks;

at::Tensor own_tensor(const RankGroup& group, std::int64_t elements, at::ScalarType dtype) {
  return at::full({elements}, static_cast<double>(group.rank() + 1), dtype);
}

TEST(RankGroup, BroadcastsOneRanksTensor) {
  run_in_ranks(2, [](RankGroup& group) {
    for (const std::int64_t root : {0, 1}) {
      at::Tensor tensor = own_tensor(group, 5, at::kFloat);
      group.broadcast(tensor, root).finish();
      EXPECT_TRUE(at::equal(tensor, at::full({5}, static_cast<double>(root + 1))));
    }
  });
}

TEST(RankGroup, GathersShardsAndScattersTheirSumInEveryPrecision) {
  run_in_ranks(2, [](RankGroup& group) {
    for (const at::ScalarType dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
      at::Tensor whole = at::zeros({6}, dtype);
      group.all_gather_into(whole, own_tensor(group, 3, dtype)).finish();
      EXPECT_EQ(whole[2].item<float>(), 1);
      EXPECT_EQ(whole[3].item<float>(), 2);
      at::Tensor shard = at::zeros({3}, dtype);
      group.reduce_scatter(shard, at::arange(6, dtype)).finish();
      EXPECT_EQ(shard[1].item<float>(), static_cast<float>(2 * (3 * group.rank() + 1)));
    }
  });
}

}  // namespace
}  // namespace labreport::rank_group_test
