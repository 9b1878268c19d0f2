#include "plan/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace labreport::collectives_test {
namespace {

TEST(AllReduceSizes, ArePowersOfTwoAndHandoutSizes) {
  EXPECT_EQ(all_reduce_sizes(8192), (std::vector<std::int64_t>{1024, 2048, 4096, 8192}));
  const auto sizes = all_reduce_sizes(1 << 30);
  EXPECT_EQ(sizes.size(), 21u + 4) << "from 2^10 to 2^30, and the handout's";
  EXPECT_TRUE(std::ranges::is_sorted(sizes));
  EXPECT_EQ(sizes.back(), 1 << 30);
  EXPECT_EQ(all_reduce_sizes(1'000'000'000).back(), 1'000'000'000);
  EXPECT_EQ(std::ranges::count_if(sizes, is_handout_size), 4);
}

TEST(BusFactor, IsWhatARingSends) {
  EXPECT_EQ(bus_factor(2), 1);
  EXPECT_EQ(bus_factor(4), 1.5);
  EXPECT_NEAR(bus_factor(6), 5.0 / 3, 1e-12);
}

}  // namespace
}  // namespace labreport::collectives_test
