#include "measure/data_parallel/overlap.h"

#include <gtest/gtest.h>

namespace labreport::overlap_test {
namespace {

Lanes make_lanes(std::vector<Interval> compute, std::vector<Interval> communication) {
  return {std::move(compute), std::move(communication)};
}

TEST(Overlap, CountsSimultaneousAllReducesOnce) {
  const Overlap found =
      overlap_of(make_lanes({{"backward", 0, 100}}, {{"", 20, 60}, {"", 40, 80}, {"", 90, 130}}));
  EXPECT_EQ(found.communication_ns, 60 + 40);
  EXPECT_EQ(found.overlap_ns, 60 + 10);
}

TEST(Overlap, IsZeroBetweenComputations) {
  const Overlap found =
      overlap_of(make_lanes({{"backward", 0, 100}, {"optimizer", 200, 300}}, {{"", 100, 200}}));
  EXPECT_EQ(found.communication_ns, 100);
  EXPECT_EQ(found.overlap_ns, 0);
}

TEST(Overlap, LeavesGapsOfTheComputationOut) {
  const Overlap found = overlap_of(
      make_lanes({{"backward", 0, 10}, {"backward", 5, 20}, {"backward", 30, 40}}, {{"", 15, 35}}));
  EXPECT_EQ(found.overlap_ns, 5 + 5);
}

TraceEvent kernel(const char* name, std::int64_t start, std::int64_t duration,
                  TraceKind kind = TraceKind::kKernel) {
  return {kind, name, start, duration, 0, 0, 0, -1, 7};
}

TEST(LanesOfOwnStep, BeginWithTheStepWhateverItsFirstPhase) {
  TraceEvent step = kernel(kOwnStepRange, 1000, 500, TraceKind::kRange);
  step.thread = 1;
  const Lanes found = lanes_of_own_step({kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 900, 50),
                                         step, kernel("gemm", 1100, 50),
                                         kernel("ncclDevKernel_ReduceScatter_Sum_f32", 1120, 100)});
  ASSERT_EQ(found.compute.size(), 1u);
  EXPECT_EQ(found.compute.front().start_ns, 100);
  ASSERT_EQ(found.communication.size(), 1u) << "the barrier before the step is left out";
  EXPECT_EQ(found.communication.front().phase, "reduce-scatter");
  EXPECT_EQ(found.step_ns, 220);
}

TEST(LanesOfOwnStep, TakePhasesAndGloosCallsOnACpu) {
  const Lanes found = lanes_of_own_step({kernel(kOwnStepRange, 1000, 500, TraceKind::kRange),
                                         kernel("forward", 1010, 100, TraceKind::kRange),
                                         kernel("gloo:all_reduce", 1050, 200, TraceKind::kRange),
                                         kernel("other", 1110, 50, TraceKind::kRange)});
  ASSERT_EQ(found.compute.size(), 1u);
  EXPECT_EQ(found.compute.front().phase, "forward");
  EXPECT_EQ(found.communication.front().phase, "all-reduce");
  EXPECT_EQ(overlap_of(found).overlap_ns, 60);
}

TEST(LanesOf, SeparatesNcclsKernelsFromOthers) {
  const Lanes found = lanes_of(
      {kernel("gemm", 1000, 50), kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1020, 100),
       kernel("add", 1060, 10), kernel("Memset (Device)", 1130, 5, TraceKind::kMemset)});
  ASSERT_EQ(found.compute.size(), 3u);
  ASSERT_EQ(found.communication.size(), 1u);
  EXPECT_EQ(found.compute.front().start_ns, 0) << "from the first activity on";
  EXPECT_EQ(found.step_ns, 135);
  EXPECT_EQ(overlap_of(found).communication_ns, 100);
  EXPECT_EQ(overlap_of(found).overlap_ns, 30 + 10);
}

TEST(LanesOf, BeginsWithForwardAfterTheBarrier) {
  TraceEvent launch{TraceKind::kOperator, "aten::mm", 190, 5, 1, 12, 0, -1, 0};
  TraceEvent forward{TraceKind::kRange, "forward", 180, 100, 1, 0, 0, -1, 0};
  TraceEvent product = kernel("gemm", 200, 50);
  product.launched_by = 12;
  const Lanes found = lanes_of({kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, 100), forward,
                                launch, product, kernel("ncclDevKernel_AllReduce", 260, 40)});
  ASSERT_EQ(found.communication.size(), 1u);
  EXPECT_EQ(found.communication.front().start_ns, 60);
  ASSERT_EQ(found.compute.size(), 1u);
  EXPECT_EQ(found.compute.front().phase, "forward");
  EXPECT_EQ(found.step_ns, 100);
}

TEST(LanesOf, LeavesHostOperatorsOut) {
  const Lanes found = lanes_of({{TraceKind::kOperator, "aten::mm", 0, 10, 1, 1, 0, -1, 0}});
  EXPECT_TRUE(found.compute.empty());
}

TEST(MergeClose, JoinsIntervalsOfOnePhaseAcrossShortGaps) {
  const std::vector<Interval> joined = merge_close(
      {{"forward", 0, 10}, {"forward", 15, 20}, {"backward", 21, 30}, {"backward", 80, 90}}, 10);
  ASSERT_EQ(joined.size(), 3u);
  EXPECT_EQ(joined[0].end_ns, 20);
  EXPECT_EQ(joined[1].phase, "backward");
}

TEST(MergeTo, MergesOnlyWhatExceedsTheLimit) {
  std::vector<Interval> many;
  for (std::int64_t i = 0; i < 1'000; ++i) {
    many.push_back({i < 500 ? "forward" : "backward", 10'000 * i, 10'000 * i + 2'000});
  }
  EXPECT_EQ(merge_to(many, 1'000).size(), 1'000u) << "few enough as they are";
  EXPECT_EQ(merge_to(many, 20).size(), 2u);
}

TEST(MergeTo, EndsIfPhasesAlternate) {
  EXPECT_EQ(merge_to({{"forward", 0, 9}, {"backward", 9, 20}, {"forward", 20, 29}}, 2).size(), 3u);
}

}  // namespace
}  // namespace labreport::overlap_test
