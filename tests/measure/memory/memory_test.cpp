#include "measure/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "measure/memory/lifetimes.h"
#include "measure/tiny_request.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::memory_test {
namespace {

Launch measure_on_cpu(Mode mode, Precision precision = Precision::kFp32) {
  LaunchRequest request = tiny_request(CellKind::kMemory, mode, 1, 1);
  request.spec.precision = precision;
  return measure_memory(request);
}

std::int64_t value(const Launch& launch, std::string_view tag, std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  if (metric == nullptr || !metric->number()) {
    ADD_FAILURE() << tag << ' ' << name << " is missing";
    return -1;
  }
  return static_cast<std::int64_t>(*metric->number());
}

std::int64_t parameter_bytes(const Launch& launch) {
  return value(launch, metric::kMemory, metric::kParameters);
}

class MemoryOfModes : public testing::TestWithParam<std::pair<Mode, Precision>> {};

TEST_P(MemoryOfModes, HistoryAddsUpToThePeakOfAnUnrecordedStep) {
  const auto [mode, precision] = GetParam();
  const Launch launch = measure_on_cpu(mode, precision);
  const std::int64_t peak = value(launch, metric::kMemory, metric::kPeakRequested);
  EXPECT_EQ(value(launch, metric::kHistory, metric::kPeakRequested), peak);
  EXPECT_EQ(value(launch, metric::kHistory, metric::kPeakAllocated),
            value(launch, metric::kMemory, metric::kPeakAllocated));
  std::int64_t sum = 0;
  for (const MemoryCategory category : kMemoryCategories) {
    sum += value(launch, metric::kCategory, name(category));
  }
  EXPECT_EQ(sum, peak);
  EXPECT_EQ(value(launch, metric::kCategory, metric::kUnknown), 0);
  EXPECT_EQ(value(launch, metric::kHistory, metric::kLostEvents), 0);
  EXPECT_EQ(value(launch, metric::kCategory, metric::kParameters), parameter_bytes(launch));
}

INSTANTIATE_TEST_SUITE_P(, MemoryOfModes,
                         testing::Values(std::pair(Mode::kInference, Precision::kFp32),
                                         std::pair(Mode::kInference, Precision::kBf16),
                                         std::pair(Mode::kForward, Precision::kFp32),
                                         std::pair(Mode::kForwardBackward, Precision::kBf16),
                                         std::pair(Mode::kTrainStep, Precision::kFp32),
                                         std::pair(Mode::kTrainStep, Precision::kBf16)),
                         [](const auto& info) {
                           return std::string(name(info.param.first)) + "_" +
                                  std::string(name(info.param.second));
                         });

TEST(Memory, HoldsTwoMomentsAndAGradientForEachParameter) {
  const Launch launch = measure_on_cpu(Mode::kTrainStep);
  EXPECT_EQ(value(launch, metric::kResident, metric::kOptimizerMemory),
            2 * parameter_bytes(launch));
  EXPECT_EQ(value(launch, metric::kResident, metric::kGradients), 0);
  const auto& last = launch.tables.at(0).rows.back();
  EXPECT_EQ(std::get<std::int64_t>(last.at(4)), parameter_bytes(launch));  // gradients
}

TEST(Memory, CountsTheBytesOfABlocksOutput) {
  const Launch launch = measure_on_cpu(Mode::kInference);
  EXPECT_EQ(value(launch, metric::kResidual, metric::kRequested), 2 * 8 * 16 * 4)
      << "batch, positions, d_model, bytes";
}

TEST(Memory, ExplainsTheChangeOverABlocksBackward) {
  const Launch launch = measure_on_cpu(Mode::kForwardBackward);
  // A block has four projections in attention, three matrices in the SwiGLU, and two norms.
  const std::int64_t expected_bytes = 4 * (4 * 16 * 16 + 3 * 16 * 24 + 2 * 16);
  const std::int64_t change = value(launch, metric::kBlock, metric::kAfterBackward) -
                              value(launch, metric::kBlock, metric::kBeforeBackward);
  EXPECT_EQ(value(launch, metric::kBlock, metric::kGradients), expected_bytes);
  EXPECT_EQ(change + value(launch, metric::kBlock, metric::kKept), expected_bytes);
}

TEST(Memory, BeginsABlocksTimelineBeforeItsFirstAllocation) {
  const Launch launch = measure_on_cpu(Mode::kForwardBackward);
  for (const MeasuredRow& row : measured_rows(launch, metric::kBlockTimeline)) {
    if (row.text(column::kPhase) != metric::kBackward) continue;
    EXPECT_EQ(row.number(metric::kRequested),
              static_cast<double>(value(launch, metric::kBlock, metric::kBeforeBackward)));
    return;
  }
  FAIL() << "no row of backward";
}

TEST(Memory, AutocastAddsCopiesOfTheLinearWeights) {
  EXPECT_EQ(value(measure_on_cpu(Mode::kInference), metric::kCategory, metric::kWeightCopies), 0);
  const Launch bf16 = measure_on_cpu(Mode::kInference, Precision::kBf16);
  // If oneDNN packs weights (AMX), the peak comes before the last layer's last copy.
  const std::int64_t first_layer_weights = 4 * 16 * 16 + 3 * 16 * 24;
  EXPECT_GT(value(bf16, metric::kCategory, metric::kWeightCopies), 2 * first_layer_weights);
}

TEST(Memory, NeedsMoreForForwardWithAGraphAlive) {
  const Launch launch = measure_on_cpu(Mode::kForward);
  EXPECT_GT(value(launch, metric::kAlternativePeaks, metric::kForwardGraphAlive),
            value(launch, metric::kMemory, metric::kPeakAllocated));
}

TEST(Memory, HasAPeakForEachPhase) {
  const Launch launch = measure_on_cpu(Mode::kTrainStep);
  std::int64_t highest = 0;
  for (const auto phase :
       {metric::kForward, metric::kLoss, metric::kBackward, metric::kOptimizer}) {
    highest = std::max(highest, value(launch, metric::kPeak, phase));
  }
  EXPECT_EQ(highest, value(launch, metric::kMemory, metric::kPeakAllocated));
}

TEST(Memory, KeepsTheHistoryOfAStepThatRunsOutOfMemory) {
  // A causal mask over two million positions is four terabytes.
  LaunchRequest request = tiny_request(CellKind::kMemory, Mode::kForward, 1, 1);
  request.spec.model = ModelShape{2, 2, 1, 1, 3};
  request.spec.context = 1 << 21;
  const Launch launch = measure_memory(request);
  ASSERT_TRUE(std::holds_alternative<OutOfMemory>(launch.outcome)) << describe(launch.outcome);
  EXPECT_EQ(std::get<OutOfMemory>(launch.outcome).phase, "forward");
  const auto& timeline = launch.tables.at(0);
  EXPECT_EQ(std::get<std::string>(timeline.rows.back().at(2)), "forward");
  EXPECT_GT(value(launch, metric::kMemory, metric::kPeakAllocated), 0);
}

}  // namespace
}  // namespace labreport::memory_test
