#include "measure/catalog.h"

#include <gtest/gtest.h>

#include "engine/device.h"
#include "measure/limits/sustained_time.h"
#include "results/metric_names.h"

namespace labreport::limits_test {
namespace {

TEST(Limits, AreRatesOrReasonsOnACpu) {
  LaunchRequest request;
  request.spec.kind = CellKind::kLimits;
  request.spec.device = DeviceKind::kCpu;
  const Launch launch = measure_limits(request);
  for (const std::string_view name : {"fp32", "bf16"}) {
    const auto rates = launch.find(metric::kMatrixRate, name)->numbers();
    EXPECT_GT(rates.size(), 1u);
    for (const double rate : rates) EXPECT_GT(rate, 1e8) << name;
  }
  for (const std::string_view name : {"tf32", "fp16"}) {
    EXPECT_FALSE(launch.find(metric::kMatrixRate, name)->reason.empty());
  }
  for (const double rate : launch.find(metric::kCopy, metric::kBandwidth)->numbers()) {
    EXPECT_GT(rate, 1e8);
  }
}

TEST(SustainedNs, RepeatsForTheGivenTime) {
  int calls = 0;
  const auto samples =
      sustained_ns(torch_device(DeviceKind::kCpu), {2'000'000, 4}, [&] { ++calls; });
  EXPECT_EQ(samples.size(), 4u);
  EXPECT_GT(calls, 4);
  for (const double sample : samples) EXPECT_GE(sample, 0);
}

TEST(SustainedNs, RunsASlowOperationOnceASample) {
  int calls = 0;
  sustained_ns(torch_device(DeviceKind::kCpu), {1, 3}, [&] { ++calls; });
  EXPECT_EQ(calls, 2 + 3);  // two calls warm up
}

}  // namespace
}  // namespace labreport::limits_test
