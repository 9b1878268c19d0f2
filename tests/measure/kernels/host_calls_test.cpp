#include "measure/kernels/host_calls.h"

#include <gtest/gtest.h>

#include "results/metric_names.h"

namespace labreport::host_calls_test {
namespace {

TraceEvent op_call(const char* name, std::int64_t start, std::int64_t duration,
                   std::uint64_t correlation) {
  return {TraceKind::kOperator, name, start, duration, 1, correlation, 0, -1, 0};
}

TraceEvent runtime_call(const char* name, std::int64_t start, std::int64_t duration) {
  return {TraceKind::kRuntime, name, start, duration, 1, 0, 0, -1, 0};
}

TraceEvent kernel(const char* name, std::int64_t start, std::uint64_t launched_by) {
  return {TraceKind::kKernel, name, start, 5, 0, 0, launched_by, -1, 7};
}

double value(const std::vector<Metric>& metrics, std::string_view tag, std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.tag == tag && metric.name == name) return *metric.number();
  }
  return -1;
}

double first_launch_ns(const Trace& trace, std::string_view name) {
  return value(first_launch_metrics(trace), metric::kFirstLaunches, name);
}

TEST(RuntimeMetrics, SumCallsByPurposeWithoutWaits) {
  const Trace trace{runtime_call("cudaMalloc", 0, 100), runtime_call("cudaLaunchKernel", 100, 10),
                    runtime_call("cudaDeviceSynchronize", 110, 50),
                    runtime_call("cudaFuncGetAttributes", 160, 7)};
  const auto metrics = runtime_metrics(trace);
  EXPECT_EQ(value(metrics, metric::kRuntime, metric::kAllocation), 100);
  EXPECT_EQ(value(metrics, metric::kRuntime, metric::kLaunchCalls), 10);
  EXPECT_EQ(value(metrics, metric::kRuntime, metric::kOtherCalls), 7);
}

TEST(FirstLaunches, CostTheExcessOverTheShortestOtherCall) {
  const Trace trace{op_call("aten::exp", 0, 100, 1),
                    op_call("aten::exp", 200, 30, 2),
                    op_call("aten::exp", 300, 20, 3),
                    kernel("exp", 400, 1),
                    kernel("exp", 410, 2),
                    kernel("exp", 420, 3)};
  EXPECT_EQ(first_launch_ns(trace, metric::kCodeLoading), 100 - 20);
  EXPECT_EQ(first_launch_ns(trace, metric::kCublasSetup), 0);
}

TEST(FirstLaunches, CountMatrixProductsToTheirLibrary) {
  const Trace trace{op_call("aten::mm", 0, 100, 1), kernel("gemm", 400, 1)};
  EXPECT_EQ(first_launch_ns(trace, metric::kCublasSetup), 100);
  EXPECT_EQ(first_launch_ns(trace, metric::kCodeLoading), 0);
}

TEST(FirstLaunches, ExcludeAllocationsAndLaunches) {
  const Trace trace{op_call("aten::exp", 0, 100, 1), runtime_call("cudaMalloc", 10, 40),
                    runtime_call("cudaLaunchKernel", 60, 20), kernel("exp", 400, 1)};
  EXPECT_EQ(first_launch_ns(trace, metric::kCodeLoading), 40);
}

TEST(FirstLaunches, CountANewKernelOfAKnownOperator) {
  const Trace trace{op_call("aten::exp", 0, 10, 1),  op_call("aten::exp", 20, 10, 2),
                    op_call("aten::exp", 40, 70, 3), kernel("exp", 400, 1),
                    kernel("exp", 410, 2),           kernel("exp, wide", 420, 3)};
  EXPECT_EQ(first_launch_ns(trace, metric::kCodeLoading), 60);
}

}  // namespace
}  // namespace labreport::host_calls_test
