#include "measure/kernels.h"

#include <gtest/gtest.h>

#include "results/metric_names.h"

namespace labreport {
namespace {

Launch on_cpu(Mode mode, std::int64_t warmup = 1, std::int64_t steps = 2) {
  LaunchRequest request;
  request.spec = {.kind = CellKind::kKernels,
                  .device = DeviceKind::kCpu,
                  .size = "tiny",
                  .model = ModelShape{16, 24, 2, 2, 30},
                  .context = 8,
                  .batch = 2,
                  .precision = Precision::kFp32,
                  .mode = mode,
                  .warmup = warmup,
                  .steps = steps};
  return measure_kernels(request);
}

const Table& kernels_of(const Launch& launch) { return launch.tables.at(1); }

/// Instances of all rows whose operator is `op` in a phase.
std::int64_t calls(const Launch& launch, const std::string& phase, const std::string& op) {
  std::int64_t sum = 0;
  for (const auto& row : kernels_of(launch).rows) {
    if (std::get<std::string>(row[0]) != phase || std::get<std::string>(row[3]) != op) continue;
    sum += std::get<std::int64_t>(row[6]);
  }
  return sum;
}

TEST(Kernels, AForwardHasSevenLinearsALayerAndOneMoreAndTwoProductsALayer) {
  const Launch launch = on_cpu(Mode::kInference);
  EXPECT_EQ(calls(launch, "forward", "aten::mm"), 7 * 2 + 1);
  EXPECT_EQ(calls(launch, "forward", "aten::bmm"), 2 * 2);
}

TEST(Kernels, EveryPhaseOfAStepIsThere) {
  const Launch launch = on_cpu(Mode::kTrainStep);
  for (const auto phase :
       {metric::kForward, metric::kLoss, metric::kBackward, metric::kOptimizer}) {
    EXPECT_GT(launch.find(metric::kBusy, phase)->number().value(), 0) << phase;
  }
  EXPECT_EQ(calls(launch, "backward", "aten::mm"), 2 * (7 * 2 + 1));
}

TEST(Kernels, BackwardRowsNameTheirModule) {
  const Launch launch = on_cpu(Mode::kForwardBackward);
  bool found = false;
  for (const auto& row : kernels_of(launch).rows) {
    found = found || (std::get<std::string>(row[0]) == "backward" &&
                      std::get<std::string>(row[1]) == "layers/attn/q_proj");
  }
  EXPECT_TRUE(found);
}

TEST(Kernels, StepsWithoutTheProfilerStandBesideTheProfiledOne) {
  const Launch launch = on_cpu(Mode::kForward);
  EXPECT_EQ(launch.find(metric::kStep, metric::kTotal)->numbers().size(), 2u);
  EXPECT_GT(launch.find(metric::kProfile, metric::kStep)->number().value(), 0);
}

TEST(Kernels, TheFirstStepOfAProcessCanBeTheProfiledOne) {
  const Launch launch = on_cpu(Mode::kForwardBackward, 0, 0);
  EXPECT_EQ(launch.find(metric::kStep, metric::kTotal), nullptr);
  EXPECT_FALSE(kernels_of(launch).rows.empty());
}

}  // namespace
}  // namespace labreport
