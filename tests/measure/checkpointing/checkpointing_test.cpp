#include "measure/catalog.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "measure/tiny_request.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::checkpointing_test {
namespace {

constexpr std::size_t kTimedSteps = 1 + 2;  // warm-up and counted

LaunchRequest tiny(std::optional<std::int64_t> blocks_per_checkpoint, Mode mode = Mode::kTrainStep,
                   Precision precision = Precision::kFp32) {
  LaunchRequest request = tiny_request(CellKind::kCheckpointing, mode);
  CellSpec& spec = request.spec;
  spec.model = ModelShape{.d_model = 64, .d_ff = 128, .layers = 4, .heads = 4, .vocab = 50};
  spec.context = 128;
  spec.precision = precision;
  spec.blocks_per_checkpoint = blocks_per_checkpoint;
  return request;
}

double value(const Launch& launch, std::string_view tag, std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  return metric == nullptr ? 0 : metric->number().value_or(0);
}

double backward_peak(const Launch& launch) {
  return value(launch, metric::kPeak, metric::kBackward);
}

double step_peak(const Launch& launch) {
  return value(launch, metric::kMemory, metric::kPeakAllocated);
}

double saved(const Launch& launch) { return value(launch, metric::kCheckpoints, metric::kSaved); }

double recomputed(const Launch& launch) {
  return value(launch, metric::kCheckpoints, metric::kRecomputedBytes);
}

std::vector<double> numbers(const Launch& launch, std::string_view tag, std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  return metric == nullptr ? std::vector<double>() : metric->numbers();
}

TEST(Checkpointing, SavesOneInputForEachCheckpoint) {
  const double input_bytes = static_cast<double>(residual_bytes(tiny(1).spec));
  const Launch single = measure_checkpointing(tiny(1)), pairs = measure_checkpointing(tiny(2));
  EXPECT_EQ(saved(single) - saved(pairs), 2 * input_bytes) << "four inputs, then two";
}

TEST(Checkpointing, RecomputesTwiceTheBytesForTwoBlocks) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const auto bytes = [&](std::int64_t blocks) {
      const LaunchRequest request = tiny(blocks, Mode::kForwardBackward, precision);
      return recomputed(measure_checkpointing(request));
    };
    EXPECT_EQ(bytes(2), 2 * bytes(1)) << name(precision);
  }
  const Launch launch = measure_checkpointing(tiny(1));
  EXPECT_NEAR(recomputed(launch) / static_cast<double>(saved_block_bytes(tiny(1).spec)), 1, 0.01);
}

TEST(Checkpointing, RecomputesNothingWithoutCheckpoints) {
  const Launch launch = measure_checkpointing(tiny(std::nullopt));
  EXPECT_EQ(launch.find(metric::kCheckpoints, metric::kRecomputedBytes), nullptr);
  EXPECT_EQ(launch.find(metric::kStep, metric::kRecomputeTime), nullptr);
  const double bytes_per_block = static_cast<double>(saved_block_bytes(tiny(1).spec));
  EXPECT_GT(saved(launch), 4 * bytes_per_block);
}

TEST(Checkpointing, PeaksAtTheCalculatedBytes) {
  using Blocks = std::optional<std::int64_t>;
  for (const auto blocks : {Blocks(), Blocks(1), Blocks(2), Blocks(3)}) {
    LaunchRequest request = tiny(blocks);
    const Launch launch = measure_checkpointing(request);
    const auto expected = [&](Mode mode) {
      request.spec.mode = mode;
      return static_cast<double>(expected_peak(request.spec).total());
    };
    // Token ids, rotary tables and small temporaries are not in the arithmetic. BF16 is not
    // compared: autocast on a CPU casts other operators than on a GPU.
    EXPECT_NEAR(backward_peak(launch) / expected(Mode::kForwardBackward), 1, 0.02)
        << blocks.value_or(0);
    EXPECT_NEAR(step_peak(launch) / expected(Mode::kTrainStep), 1, 0.02) << blocks.value_or(0);
  }
}

TEST(Checkpointing, TimesStepsPhasesAndTheRecomputation) {
  const Launch launch = measure_checkpointing(tiny(2));
  EXPECT_EQ(numbers(launch, metric::kStep, metric::kTotal).size(), kTimedSteps);
  EXPECT_EQ(numbers(launch, metric::kEvent, metric::kBackward).size(), kTimedSteps);
  EXPECT_GT(value(launch, metric::kStep, metric::kRecomputeTime), 0);
}

TEST(Checkpointing, TimesNoOptimizerInForwardAndBackward) {
  const Launch launch = measure_checkpointing(tiny(1, Mode::kForwardBackward));
  EXPECT_TRUE(numbers(launch, metric::kEvent, metric::kOptimizer).empty());
  EXPECT_EQ(step_peak(launch), backward_peak(launch));
}

TEST(Checkpointing, RefusesModesWithoutBackwardAndEmptyCheckpoints) {
  EXPECT_THROW(measure_checkpointing(tiny(1, Mode::kForward)), InputError);
  EXPECT_THROW(measure_checkpointing(tiny(0)), InputError);
}

}  // namespace
}  // namespace labreport::checkpointing_test
