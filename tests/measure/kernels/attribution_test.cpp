#include "measure/kernels/attribution.h"

#include <gtest/gtest.h>

#include "measure/kernels/activity.h"
#include "measure/kernels/kernel_class.h"
#include "measure/kernels/kernel_tables.h"
#include "results/metric_names.h"

namespace labreport::attribution_test {
namespace {

constexpr std::uint64_t kMain = 1, kAutograd = 2;  // threads

TraceEvent host(TraceKind kind, const char* name, std::int64_t start, std::int64_t duration,
                std::uint64_t thread = kMain, std::uint64_t correlation = 0,
                std::int64_t sequence = -1) {
  return {kind, name, start, duration, thread, correlation, 0, sequence, 0};
}

TraceEvent kernel(const char* name, std::int64_t start, std::int64_t duration,
                  std::uint64_t launched_by, TraceKind kind = TraceKind::kKernel) {
  return {kind, name, start, duration, 0, 0, launched_by, -1, 7};
}

/// Returns forward and backward of a linear layer in layer 1, and a kernel without an operator.
Trace linear_trace() {
  return {
      host(TraceKind::kRange, "forward", 0, 100),
      host(TraceKind::kRange, "layers.1", 1, 90),
      host(TraceKind::kRange, "attn", 2, 80),
      host(TraceKind::kRange, "q_proj", 3, 70),
      host(TraceKind::kOperator, "aten::linear", 4, 60, kMain, 11, 5),
      host(TraceKind::kOperator, "aten::mm", 5, 50, kMain, 12),
      kernel("gemm", 30, 20, 12),
      kernel("splitKreduce", 50, 5, 12),
      host(TraceKind::kRange, "backward", 200, 300),
      host(TraceKind::kOperator, "autograd::engine::evaluate_function: MmBackward0", 208, 110,
           kAutograd, 20, 5),
      host(TraceKind::kBackward, "MmBackward0", 210, 50, kAutograd, 21, 5),
      host(TraceKind::kOperator, "aten::mm", 220, 30, kAutograd, 22),
      kernel("gemm", 260, 40, 22),
      host(TraceKind::kOperator, "aten::add_", 300, 10, kAutograd, 23),
      kernel("add", 310, 6, 23),
      kernel("stranger", 320, 2, 99),
  };
}

std::vector<Attribution> linear_kernels() {
  static const Trace trace = linear_trace();
  return attribute(trace);
}

TEST(Attribution, FindsThePhaseOfAGraphsKernelsAroundItsLaunch) {
  TraceEvent of_graph = kernel("gemm", 30, 20, 0);
  of_graph.correlation = 77;
  const TraceEvent launch = host(TraceKind::kRuntime, "cudaGraphLaunch", 10, 5, kMain, 77);
  const Trace trace{host(TraceKind::kRange, "other", 0, 100), launch, of_graph};
  const std::vector<Attribution> kernels = attribute(trace);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels.front().phase, "other");
  EXPECT_EQ(kernels.front().inner_op, "");
  EXPECT_EQ(attribute({launch, of_graph}).front().phase, "");
}

TEST(Attribution, FollowsTheLaunchingOperatorOutwards) {
  const Attribution forward = linear_kernels().front();
  EXPECT_EQ(forward.phase, "forward");
  EXPECT_EQ(forward.module, "layers.1/attn/q_proj");
  EXPECT_EQ(forward.outer_op, "aten::linear");
  EXPECT_EQ(forward.inner_op, "aten::mm");
}

TEST(Attribution, GivesBackwardKernelsTheModuleOfForward) {
  const Attribution backward = linear_kernels().at(2);
  EXPECT_EQ(backward.phase, "backward");
  EXPECT_EQ(backward.module, "layers.1/attn/q_proj");
  EXPECT_EQ(backward.outer_op, "aten::linear");
}

TEST(Attribution, GivesGradientSumsTheModuleOfTheLastNode) {
  const Attribution sum = linear_kernels().at(3);
  EXPECT_EQ(sum.phase, "backward");
  EXPECT_EQ(sum.module, "layers.1/attn/q_proj");
  EXPECT_EQ(sum.inner_op, "aten::add_");
}

/// Imitates Inductor's code, which launches Triton's kernels and opens no range of a module.
TEST(Attribution, GivesCompiledCodeNoModules) {
  const Trace trace{
      host(TraceKind::kRange, "forward", 0, 100),
      host(TraceKind::kOperator, "Torch-Compiled Region: 0/0", 1, 90),
      host(TraceKind::kOperator, "CompiledFunction", 2, 80, kMain, 10, 5),
      host(TraceKind::kOperator, "triton_poi_fused_add_0", 3, 10, kMain, 11),
      kernel("triton_poi_fused_add_0", 20, 20, 11),
      host(TraceKind::kRange, "backward", 200, 300),
      host(TraceKind::kOperator, "autograd::engine::evaluate_function: CompiledFunctionBackward",
           208, 110, kAutograd, 20, 5),
      host(TraceKind::kBackward, "CompiledFunctionBackward", 210, 50, kAutograd, 21, 5),
      host(TraceKind::kOperator, "triton_red_fused_sum_1", 220, 30, kAutograd, 22),
      kernel("triton_red_fused_sum_1", 260, 40, 22)};
  const std::vector<Attribution> kernels = attribute(trace);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].phase, "forward");
  EXPECT_EQ(kernels[1].phase, "backward");
  for (const Attribution& kernel : kernels) {
    EXPECT_EQ(kernel.module, "");
    EXPECT_EQ(kernel.outer_op, "Torch-Compiled Region: 0/0");
    EXPECT_EQ(kernel.inner_op, "");
  }
}

TEST(Attribution, FindsThePhaseWithinRangesOfTheUsers) {
  const Trace trace{host(TraceKind::kRange, "epoch", 0, 100),
                    host(TraceKind::kRange, "optimizer", 1, 50),
                    host(TraceKind::kOperator, "aten::add_", 2, 10, kMain, 11),
                    kernel("add", 5, 5, 11),
                    host(TraceKind::kRange, "other", 60, 30),
                    host(TraceKind::kOperator, "aten::norm", 61, 10, kMain, 12),
                    kernel("norm", 63, 5, 12)};
  const std::vector<Attribution> kernels = attribute(trace);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].phase, "optimizer");
  EXPECT_EQ(kernels[1].phase, "other");
  for (const Attribution& kernel : kernels) EXPECT_EQ(kernel.module, "");
}

TEST(Attribution, NeedsALauncherForAPhase) { EXPECT_EQ(linear_kernels().at(4).phase, ""); }

TEST(Attribution, UsesTheLastOperatorOfASequenceNumber) {
  Trace trace = linear_trace();
  // This operator makes no node, so it reports the number of the next node.
  trace.insert(trace.begin(), host(TraceKind::kOperator, "aten::arange", -1, 1, kMain, 10, 5));
  EXPECT_EQ(attribute(trace).at(2).outer_op, "aten::linear");
}

TEST(Attribution, ReturnsComputingOperatorsOnACpu) {
  const Trace trace{host(TraceKind::kRange, "forward", 0, 100),
                    host(TraceKind::kOperator, "aten::linear", 4, 60, kMain, 1, 5),
                    host(TraceKind::kOperator, "aten::matmul", 5, 55, kMain, 2),
                    host(TraceKind::kOperator, "aten::mm", 6, 50, kMain, 3),
                    host(TraceKind::kOperator, "aten::empty", 7, 2, kMain, 4)};
  const auto leaves = attribute(trace);
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves.front().activity->name, "aten::mm");
  EXPECT_EQ(leaves.front().phase, "forward");
  EXPECT_EQ(leaves.front().outer_op, "aten::linear");
}

TEST(Attribution, IsEmptyForAnEmptyTrace) { EXPECT_TRUE(attribute({}).empty()); }

TEST(KernelClass, DependsOnTheOperator) {
  const Attribution product = linear_kernels().front();
  EXPECT_EQ(kernel_class(product, true), "gemm");
  EXPECT_EQ(kernel_class(product, false), "gemm helper");
  const TraceEvent set = kernel("Memset (Device)", 0, 1, 12, TraceKind::kMemset);
  EXPECT_EQ(kernel_class({&set, "forward", "", "aten::linear", "aten::mm"}, false), "memset");
  EXPECT_EQ(kernel_class({&set, "", "", "", "aten::exp"}, true), "memset");
}

double metric_value(const std::vector<Metric>& metrics, std::string_view tag,
                    std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.tag == tag && metric.name == name) return *metric.number();
  }
  return -1;
}

TEST(ReasonWithoutKernels, IsGivenOnlyForAGpu) {
  const Trace host_only{host(TraceKind::kOperator, "aten::mm", 5, 50)};
  EXPECT_EQ(reason_without_kernels(DeviceKind::kCpu, host_only), "");
  EXPECT_EQ(reason_without_kernels(DeviceKind::kCuda, linear_trace()), "");
  EXPECT_TRUE(reason_without_kernels(DeviceKind::kCuda, host_only).starts_with("the profiler saw"));
}

TEST(ActivityMetrics, CountOverlappingKernelsOnce) {
  Trace trace{kernel("a", 0, 10, 0), kernel("b", 5, 10, 0), kernel("c", 30, 5, 0)};
  const auto metrics = activity_metrics(attribute(trace));
  EXPECT_EQ(metric_value(metrics, metric::kProfile, metric::kBusy), 20);
  EXPECT_EQ(metric_value(metrics, metric::kProfile, metric::kSpan), 35);
  EXPECT_EQ(metric_value(metrics, metric::kProfile, metric::kUnattributed), 25);
}

TEST(KernelTables, JoinLayersAndListEachKernelOnRequest) {
  const auto tables = kernel_tables(linear_kernels(), true);
  EXPECT_EQ(tables[0].name, metric::kKernelNames);
  for (const auto& row : tables[1].rows) {
    EXPECT_EQ(std::get<std::string>(row[1]).find("layers.1"), std::string::npos);
  }
  EXPECT_EQ(tables.at(2).name, metric::kGpuTrace);
  EXPECT_EQ(kernel_tables(linear_kernels(), false).size(), 2u);
}

TEST(KernelTables, GiveEachKernelItsStartBlockAndRow) {
  const auto tables = kernel_tables(linear_kernels(), true);
  const auto& rows = tables[2].rows;
  ASSERT_EQ(rows.size(), linear_kernels().size());
  const auto start_and_duration = [&](std::size_t at) {
    return std::pair(std::get<std::int64_t>(rows[at][0]), std::get<std::int64_t>(rows[at][1]));
  };
  EXPECT_EQ(start_and_duration(0), std::pair(0L, 20L)) << "the step begins with its first kernel";
  EXPECT_EQ(start_and_duration(1), std::pair(20L, 5L));
  EXPECT_EQ(start_and_duration(2), std::pair(210L, 40L));
  const auto kernel_of = [&](std::size_t at) {
    return tables[1].rows.at(static_cast<std::size_t>(std::get<std::int64_t>(rows[at][2])));
  };
  EXPECT_EQ(std::get<std::string>(kernel_of(0)[0]), "forward");
  EXPECT_EQ(std::get<std::string>(kernel_of(1)[4]), "gemm helper");
  EXPECT_EQ(std::get<std::string>(kernel_of(2)[1]), "layers/attn/q_proj");
  EXPECT_EQ(rows[2][3], Scalar(std::int64_t{1}));
  EXPECT_EQ(rows[4][3], Scalar()) << "outside of the network";
}

TEST(KernelTables, HaveNoGpuTraceWithoutKernels) { EXPECT_EQ(kernel_tables({}, true).size(), 2u); }

}  // namespace
}  // namespace labreport::attribution_test
