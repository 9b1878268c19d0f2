// Which steps the memory problem asks for.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/sample_runs.h"

namespace labreport {
namespace {

using testing_samples::end_with;
using testing_samples::measured;

constexpr std::int64_t kGibibyte = 1LL << 30;

PlanInput memory_input(Preset preset, const char* edition = "2025") {
  return testing_samples::only("memory_profiling", preset, edition);
}

/// A run on a device of `capacity` bytes.
Run run_within(std::int64_t capacity, const PlanInput& input) {
  return measured(input, [capacity](const CellSpec& spec, Launch& launch) {
    if (spec.kind != CellKind::kMemory) return;
    launch = Launch{};
    const auto reason = cannot_fit(spec, capacity);
    if (reason) return end_with(launch, Skipped{*reason});
    measure_memory(launch, spec, capacity);
  });
}

std::vector<CellSpec> memory_cells(const Run& run) {
  std::vector<CellSpec> specs;
  for (const Cell& cell : run.cells) {
    if (cell.spec.kind == CellKind::kMemory) specs.push_back(cell.spec);
  }
  return specs;
}

using Contexts = std::set<std::int64_t>;

Contexts contexts(const Run& run, const char* size, Mode mode, Precision precision) {
  Contexts found;
  for (const CellSpec& spec : memory_cells(run)) {
    const bool wanted = spec.size == size && spec.mode == mode && spec.precision == precision;
    if (wanted) found.insert(*spec.context);
  }
  return found;
}

TEST(MemoryPlan, The2025EditionMeasuresOneSizeAtThreeContextsInTwoPrecisions) {
  const auto run = measured(memory_input(Preset::kFull));
  EXPECT_EQ(memory_cells(run).size(), 1u * 3 * 2 * 3);
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    for (const Mode mode : {Mode::kInference, Mode::kForward, Mode::kTrainStep}) {
      EXPECT_EQ(contexts(run, "2.7B", mode, precision), (Contexts{128, 256, 512}));
    }
  }
}

TEST(MemoryPlan, AStepIsRecordedAfterTwoToWarmUp) {
  const auto run = measured(memory_input(Preset::kFull));
  for (const CellSpec& spec : memory_cells(run)) {
    EXPECT_EQ(spec.warmup, 2);
    EXPECT_EQ(spec.steps, 1);
  }
}

TEST(MemoryPlan, The2026EditionDoublesToTheLongestContextThatFits) {
  const auto run = measured(memory_input(Preset::kFull, "2026"));
  EXPECT_EQ(contexts(run, "xl", Mode::kTrainStep, Precision::kFp32),
            (Contexts{128, 256, 512, 1024, 2048}));
  EXPECT_EQ(contexts(run, "xl", Mode::kInference, Precision::kFp32), (Contexts{128, 1024, 2048}));
  EXPECT_EQ(contexts(run, "xl", Mode::kForwardBackward, Precision::kFp32), Contexts{})
      << "where a forward has no room, none is tried";
}

TEST(MemoryPlan, ALargerDeviceDoublesFurther) {
  const auto run = run_within(400 * kGibibyte, memory_input(Preset::kFull, "2026"));
  EXPECT_TRUE(contexts(run, "xl", Mode::kTrainStep, Precision::kFp32).contains(4096));
  EXPECT_TRUE(contexts(run, "xl", Mode::kInference, Precision::kFp32).contains(2048));
}

TEST(MemoryPlan, WhereNoStepFitsTheLargestSizeOfWhichOneDoesStandsIn) {
  const auto run = run_within(24 * kGibibyte, memory_input(Preset::kFull));
  EXPECT_EQ(contexts(run, "xl", Mode::kTrainStep, Precision::kFp32), Contexts{128});
  EXPECT_EQ(contexts(run, "xl", Mode::kInference, Precision::kFp32), Contexts{});
  EXPECT_EQ(contexts(run, "large", Mode::kInference, Precision::kFp32), (Contexts{128, 256, 512}));
  EXPECT_EQ(contexts(run, "medium", Mode::kTrainStep, Precision::kFp32), Contexts{});
}

TEST(MemoryPlan, ALesserStepIsTriedWhereTheForwardFits) {
  const auto run = run_within(40 * kGibibyte, memory_input(Preset::kFull));
  EXPECT_EQ(contexts(run, "2.7B", Mode::kForwardBackward, Precision::kFp32),
            (Contexts{128, 256, 512}));
}

TEST(MemoryPlan, TheUsersSizesContextsAndModesAreTaken) {
  PlanInput input = memory_input(Preset::kFull);
  input.selection.sizes = {input.edition.sizes[0], input.edition.sizes[1]};
  input.selection.contexts = {64};
  input.selection.modes = {Mode::kInference};
  const auto run = measured(input);
  EXPECT_EQ(memory_cells(run).size(), 4u);
  EXPECT_EQ(contexts(run, "medium", Mode::kInference, Precision::kBf16), Contexts{64});
}

TEST(MemoryPlan, OnlyTheMixedPrecisionPartNeedsTwoPrecisions) {
  EXPECT_EQ(memory_cells(measured(testing_samples::only("memory_profiling.b"))).size(), 9u);
}

TEST(MemoryPlan, TheSmallerPresetsMeasureTheirLargestSize) {
  EXPECT_EQ(contexts(measured(memory_input(Preset::kQuick)), "medium", Mode::kTrainStep,
                     Precision::kFp32),
            Contexts{512});
  EXPECT_EQ(
      contexts(measured(memory_input(Preset::kDemo)), "demo-3", Mode::kTrainStep, Precision::kBf16),
      Contexts{64});
}

}  // namespace
}  // namespace labreport
