#include "engine/device.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/allocator.h"
#include "engine/conditions.h"
#include "results/metric_names.h"

namespace labreport::device_test {
namespace {

TEST(DescribeDevice, ReturnsOnlyNameAndMemoryOfACpu) {
  const Device device = describe_device(DeviceKind::kCpu);
  EXPECT_EQ(device.kind, DeviceKind::kCpu);
  EXPECT_FALSE(device.name.empty());
  EXPECT_GT(device.memory_bytes, std::int64_t{1} << 28);
  EXPECT_EQ(device.uuid_hash, "");
  EXPECT_EQ(device.compute_capability, "");
  EXPECT_FALSE(device.ecc);
}

TEST(DescribeSoftware, NamesLibTorch) {
  const std::string libtorch = describe_software().libtorch;
  EXPECT_GE(std::count(libtorch.begin(), libtorch.end(), '.'), 2) << libtorch;
}

TEST(AllocatorCounts, AreAbsentOnACpu) {
  EXPECT_FALSE(allocator_counts(torch_device(DeviceKind::kCpu)));
}

TEST(Conditions, AreAbsentWithAReasonOnACpu) {
  Conditions conditions(DeviceKind::kCpu);
  conditions.begin();
  int runs = 0;
  conditions.sample_clocks(1000, [&] { ++runs; });
  conditions.end();
  EXPECT_EQ(runs, 0);
  ASSERT_FALSE(conditions.metrics().empty());
  for (const Metric& metric : conditions.metrics()) {
    if (metric.name == metric::kOtherProcesses) continue;  // Other labreports share a CPU, too.
    EXPECT_FALSE(metric.number()) << metric.name;
    EXPECT_FALSE(metric.reason.empty()) << metric.name;
  }
}

}  // namespace
}  // namespace labreport::device_test
