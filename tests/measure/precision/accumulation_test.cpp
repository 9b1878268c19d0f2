#include "measure/catalog.h"

#include <gtest/gtest.h>

#include "results/metric_names.h"

namespace labreport::accumulation_test {
namespace {

Launch measure_on_cpu() {
  LaunchRequest request;
  request.spec.kind = CellKind::kAccumulation;
  request.spec.device = DeviceKind::kCpu;
  return measure_accumulation(request);
}

double last_sum(const Launch& launch, std::string_view loop) {
  const auto sums = launch.find(metric::kRunningSum, loop)->numbers();
  EXPECT_EQ(sums.size(), 1000u);
  return sums.back();
}

// IEEE 754 determines these numbers, so every device must compute exactly these.
TEST(Accumulation, EndsAtTheKnownSumsToTheLastBit) {
  const Launch launch = measure_on_cpu();
  EXPECT_EQ(last_sum(launch, metric::kFp32Loop), 10.000133514404297);
  EXPECT_EQ(last_sum(launch, metric::kFp16Loop), 9.953125);
  EXPECT_EQ(last_sum(launch, metric::kMixedLoop), 10.00213623046875);
  EXPECT_EQ(last_sum(launch, metric::kCastLoop), 10.00213623046875);
  EXPECT_EQ(last_sum(launch, metric::kBf16Loop), 4.0);
  EXPECT_EQ(last_sum(launch, metric::kExactLoop), 500.0);
}

TEST(Accumulation, ReportsTheRoundedAddend) {
  const Launch launch = measure_on_cpu();
  EXPECT_EQ(launch.find(metric::kAddend, metric::kFp16Loop)->number(), 0.01000213623046875);
  EXPECT_EQ(launch.find(metric::kAddend, metric::kExactLoop)->number(), 0.5);
}

TEST(Accumulation, SkipsTheHostsSumOnACpu) {
  EXPECT_EQ(measure_on_cpu().find(metric::kHostRunningSum, metric::kFp32Loop), nullptr);
}

}  // namespace
}  // namespace labreport::accumulation_test
