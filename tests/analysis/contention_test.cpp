#include "analysis/contention.h"

#include <gtest/gtest.h>

#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::contention_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// A kernel of a module: launches and ms beside collectives, and alone.
struct KernelRow {
  const char* phase;
  const char* module;
  std::int64_t beside, beside_ms, alone, alone_ms;
};

Launch launch_with(const std::vector<KernelRow>& rows) {
  Table table = empty_table(metric::kContention);
  for (const KernelRow& row : rows) {
    table.rows.push_back({std::string(row.phase), std::string(row.module), std::string("gemm"),
                          std::int64_t{0}, row.beside, row.beside_ms * kMs, std::int64_t{0},
                          row.alone, row.alone_ms * kMs});
  }
  Launch launch;
  launch.tables = {table};
  return launch;
}

const Launch kAlone =
    launch_with({{"forward", "w1", 0, 0, 4, 40}, {"backward", "w1", 0, 0, 4, 80}});

TEST(Contention, ComparesKernelsBesideCollectivesWithTheSameKernelsAlone) {
  const auto found = contention(
      launch_with({{"forward", "w1", 2, 22, 2, 20}, {"backward", "w1", 3, 66, 1, 20}}), kAlone);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->longer_ms, (22 - 2 * 10) + (66 - 3 * 20));
  EXPECT_DOUBLE_EQ(found->alone_ms, 2 * 10 + 3 * 20);
  EXPECT_DOUBLE_EQ(found->stretch(), 0.1);
  EXPECT_DOUBLE_EQ(*found->error_ms, 0);
}

TEST(Contention, IsToldOfOnePass) {
  const Launch overlapped =
      launch_with({{"forward", "w1", 2, 22, 2, 20}, {"backward", "w1", 3, 66, 1, 20}});
  EXPECT_DOUBLE_EQ(contention(overlapped, kAlone, metric::kForward)->longer_ms, 2);
  EXPECT_DOUBLE_EQ(contention(overlapped, kAlone, metric::kBackward)->longer_ms, 6);
}

TEST(Contention, IsNotClaimedWithinTheDifferenceOfKernelsThatRunAlone) {
  EXPECT_TRUE(contention(launch_with({{"forward", "w1", 2, 22, 2, 21}}), kAlone));
  EXPECT_FALSE(contention(launch_with({{"forward", "w1", 2, 22, 2, 22}}), kAlone))
      << "this GPU was slower";
  EXPECT_FALSE(contention(launch_with({{"forward", "w1", 2, 19, 2, 20}}), kAlone));
}

TEST(Contention, NeedsTheSameKernelInBothSteps) {
  EXPECT_FALSE(contention(launch_with({{"forward", "w2", 2, 22, 2, 20}}), kAlone));
  EXPECT_FALSE(contention(launch_with({{"forward", "w1", 0, 0, 4, 40}}), kAlone));
  EXPECT_FALSE(contention(Launch(), kAlone));
  EXPECT_FALSE(contention(launch_with({{"forward", "w1", 2, 22, 2, 20}}), Launch()));
}

}  // namespace
}  // namespace labreport::contention_test
