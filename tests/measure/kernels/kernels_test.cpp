#include "measure/catalog.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "measure/tiny_request.h"
#include "results/metric_names.h"

namespace labreport::kernels_test {
namespace {

LaunchRequest cpu_request(Mode mode, std::int64_t warmup, std::int64_t steps) {
  return tiny_request(CellKind::kKernels, mode, warmup, steps);
}

Launch measure_on_cpu(Mode mode, std::int64_t warmup = 1, std::int64_t steps = 2) {
  return measure_kernels(cpu_request(mode, warmup, steps));
}

const Table& kernels_of(const Launch& launch) { return launch.tables.at(1); }

std::int64_t count_calls(const Launch& launch, const std::string& phase, const std::string& op) {
  std::int64_t sum = 0;
  for (const auto& row : kernels_of(launch).rows) {
    if (std::get<std::string>(row[0]) != phase || std::get<std::string>(row[3]) != op) continue;
    sum += std::get<std::int64_t>(row[6]);
  }
  return sum;
}

TEST(Kernels, CoverEveryPhaseOfAStep) {
  const Launch launch = measure_on_cpu(Mode::kTrainStep);
  for (const auto phase :
       {metric::kForward, metric::kLoss, metric::kBackward, metric::kOptimizer}) {
    EXPECT_GT(launch.find(metric::kBusy, phase)->number().value(), 0) << phase;
  }
  // Backward has two products for each linear layer: seven in each of two blocks, and the head.
  EXPECT_EQ(count_calls(launch, "backward", "aten::mm"), 2 * (7 * 2 + 1));
}

TEST(Kernels, IncludeTimesWithoutTheProfiler) {
  const Launch launch = measure_on_cpu(Mode::kForward);
  EXPECT_EQ(launch.find(metric::kStep, metric::kTotal)->numbers().size(), 2u);
  EXPECT_GT(launch.find(metric::kProfile, metric::kStep)->number().value(), 0);
}

TEST(Kernels, CanProfileTheFirstStep) {
  const Launch launch = measure_on_cpu(Mode::kForwardBackward, 0, 0);
  EXPECT_EQ(launch.find(metric::kStep, metric::kTotal), nullptr);
  EXPECT_FALSE(kernels_of(launch).rows.empty());
  EXPECT_NE(launch.find(metric::kFirstLaunches, metric::kCodeLoading), nullptr);
}

TEST(Kernels, AgreeWithTheGpuTrace) {
  LaunchRequest request = cpu_request(Mode::kTrainStep, 1, 1);
  request.gpu_trace = true;
  const Launch launch = measure_kernels(request);
  ASSERT_EQ(launch.tables.size(), 3u);
  std::vector<std::int64_t> calls(kernels_of(launch).rows.size()), sums_ns = calls;
  for (const auto& row : launch.tables[2].rows) {
    const auto index = static_cast<std::size_t>(std::get<std::int64_t>(row[2]));
    calls.at(index) += 1;
    sums_ns.at(index) += std::get<std::int64_t>(row[1]);
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(Scalar(calls[i]), kernels_of(launch).rows[i][6]);
    EXPECT_EQ(Scalar(sums_ns[i]), kernels_of(launch).rows[i][7]);
  }
}

TEST(Kernels, WriteTheTraceFile) {
  LaunchRequest request = cpu_request(Mode::kInference, 1, 1);
  request.artifacts = (std::filesystem::temp_directory_path() / "artifacts" / "cell.0").string();
  const Launch launch = measure_kernels(request);
  EXPECT_TRUE(std::filesystem::exists(request.artifacts + ".trace.json"));
  EXPECT_TRUE(launch.warnings.empty());
}

TEST(Kernels, WarnIfTheTraceCannotBeWritten) {
  LaunchRequest request = cpu_request(Mode::kInference, 1, 1);
  request.artifacts = "/proc/nowhere/cell.0";
  const Launch launch = measure_kernels(request);
  EXPECT_TRUE(is_ok(launch.outcome));
  EXPECT_FALSE(kernels_of(launch).rows.empty());
  ASSERT_EQ(launch.warnings.size(), 1u);
  EXPECT_TRUE(launch.warnings.front().starts_with("the trace was not kept: "));
}

TEST(Kernels, AreNotProfiledUnderNvtx) {
  LaunchRequest request = cpu_request(Mode::kInference, 1, 2);
  request.nvtx = true;
  const Launch launch = measure_kernels(request);
  EXPECT_TRUE(launch.tables.empty());
  EXPECT_EQ(launch.find(metric::kStep, metric::kTotal)->numbers().size(), 2u);
}

}  // namespace
}  // namespace labreport::kernels_test
