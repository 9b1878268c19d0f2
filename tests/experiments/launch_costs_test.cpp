// Tests the costs of a launch against values computed by hand.
#include "experiments/common/launch_costs.h"

#include <gtest/gtest.h>

#include "experiments/common/bound.h"
#include "experiments/sample_runs.h"

namespace labreport::launch_costs_testing {
namespace {

using namespace testing_samples;

/// Returns a profile whose forward pass has 3 + 1 launches of 2 ms in all, and whose optimizer has
/// 100 launches of 0.5 ms.
Launch profile() {
  Launch launch;
  Table& table = launch.tables.emplace_back(Table{std::string(metric::kKernels), {}, {}});
  for (const auto name : {column::kPhase, column::kModule, column::kOperation, column::kOperator,
                          column::kClass, column::kInstances, column::kTotalNs}) {
    table.columns.push_back({std::string(name), ""});
  }
  table.rows = {kernel_row(table, "forward", "gemm", 1.5, 3),
                kernel_row(table, "forward", "copy", 0.5, 1),
                kernel_row(table, "optimizer", "elementwise", 0.5, 100)};
  for (const auto& [phase, ns] : {std::pair("forward", 2'000'000), std::pair("optimizer", 500'000)})
    launch.metrics.push_back(integer_metric(metric::kBusy, phase, "ns", ns));
  return launch;
}

TEST(LaunchCosts, AreIdleTimeOfTheGpuWhereItSetsTheTime) {
  const auto costs = launch_costs(profile(), {metric::kForward}, {2.1, 2.1, 2.2, 2.0});
  ASSERT_TRUE(costs);
  EXPECT_EQ(costs->launches, 4);
  EXPECT_DOUBLE_EQ(costs->kernels_ms, 2);
  EXPECT_DOUBLE_EQ(costs->mean_kernel_us(), 500);
  EXPECT_EQ(costs->bound(), Bound::kDevice);
  EXPECT_NEAR(costs->gpu_idle_us().value_or(0), 25, 1e-9) << "0.1 ms after 4 kernels";
  EXPECT_EQ(costs->cpu_us(), std::nullopt);
}

TEST(LaunchCosts, AreTimeOfTheCpuWhereItSetsTheTime) {
  const auto costs = launch_costs(profile(), {metric::kForward, metric::kOptimizer}, {4.0, 4.0});
  ASSERT_TRUE(costs);
  EXPECT_EQ(costs->launches, 104);
  EXPECT_DOUBLE_EQ(costs->kernel_share(), 0.625);
  EXPECT_NEAR(costs->mean_kernel_us(), 24.0385, 1e-4) << "2.5 ms in 104 kernels";
  EXPECT_EQ(costs->bound(), Bound::kLaunch);
  EXPECT_NEAR(costs->cpu_us().value_or(0), 38.4615, 1e-4) << "4 ms for 104 launches";
  EXPECT_EQ(costs->gpu_idle_us(), std::nullopt);
}

TEST(LaunchCosts, AreUnknownWhereNeitherSetsTheTime) {
  const auto mixed = launch_costs(profile(), {metric::kForward}, {2.4});
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->bound(), Bound::kMixed);
  EXPECT_EQ(mixed->gpu_idle_us(), std::nullopt);
  EXPECT_EQ(mixed->cpu_us(), std::nullopt);
  const auto slower_profile = launch_costs(profile(), {metric::kForward}, {1.9});
  ASSERT_TRUE(slower_profile);
  EXPECT_EQ(slower_profile->kernel_share(), 1);
  EXPECT_EQ(slower_profile->gpu_idle_us(), std::nullopt) << "the kernels took longer than the pass";
}

TEST(LaunchCosts, AreNotSetByOneStalledStep) {
  const auto costs = launch_costs(profile(), {metric::kForward}, {2.1, 9.0, 2.1});
  ASSERT_TRUE(costs);
  EXPECT_EQ(costs->bound(), Bound::kDevice);
}

TEST(LaunchCosts, NeedEveryPhaseAndATime) {
  EXPECT_FALSE(launch_costs(profile(), {metric::kForward, metric::kBackward}, {4.0}));
  EXPECT_FALSE(launch_costs(profile(), {metric::kForward}, {}));
  EXPECT_FALSE(launch_costs(Launch(), {metric::kForward}, {2.0}));
}

}  // namespace
}  // namespace labreport::launch_costs_testing
