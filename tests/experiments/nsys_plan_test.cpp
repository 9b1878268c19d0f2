// Which steps the profiling problem asks for.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "experiments/sample_runs.h"

namespace labreport {
namespace {

using testing::ElementsAre;
using testing_samples::end_with;
using testing_samples::measured;

PlanInput profile_input(Preset preset, const char* edition = "2025") {
  return testing_samples::only("nsys_profile", preset, edition);
}

std::vector<CellSpec> planned(const PlanInput& input) {
  return testing_samples::planned(input, CellKind::kKernels);
}

std::ptrdiff_t count(const std::vector<CellSpec>& specs, Mode mode, Precision precision) {
  return std::ranges::count_if(specs, [&](const CellSpec& spec) {
    return spec.mode == mode && spec.precision == precision;
  });
}

/// The contexts of one size's FP32 cells in `mode`, in plan order.
std::vector<std::int64_t> contexts(const Run& run, const char* size, Mode mode) {
  std::vector<std::int64_t> found;
  for (const Cell& cell : run.cells) {
    const CellSpec& spec = cell.spec;
    const bool wanted = spec.kind == CellKind::kKernels && spec.size == size && spec.mode == mode;
    if (wanted && spec.precision == Precision::kFp32) found.push_back(spec.context.value_or(0));
  }
  return found;
}

/// Steps longer than `longest` do not fit.
Run fitting_up_to(std::int64_t longest, const PlanInput& input) {
  return measured(input, [&](const CellSpec& spec, Launch& launch) {
    if (spec.context > longest) end_with(launch, OutOfMemory{"forward", 1, 2, 3});
  });
}

using Contexts = std::vector<std::int64_t>;

TEST(NsysPlan, The2025EditionProfilesEverySizeAtFourContextsAndOneInBf16) {
  const auto specs = planned(profile_input(Preset::kFull));
  for (const Mode mode : {Mode::kInference, Mode::kTrainStep}) {
    EXPECT_EQ(count(specs, mode, Precision::kFp32), 5 * 4);
    EXPECT_EQ(count(specs, mode, Precision::kBf16), 5);
  }
}

TEST(NsysPlan, AStepIsProfiledAfterFiveToWarmUpAndFiveToCompareWith) {
  const CellSpec spec = planned(profile_input(Preset::kFull)).front();
  EXPECT_EQ(spec.warmup, 5);
  EXPECT_EQ(spec.steps, 5);
}

/// The cells that are kept kernel by kernel, as "size context precision mode".
std::vector<std::string> traced(const PlanInput& input, const Run& so_far = {}) {
  std::vector<std::string> found;
  for (const PlannedCell& cell : plan_cells(input, so_far)) {
    const CellSpec& spec = cell.spec;
    if (!cell.gpu_trace) continue;
    found.push_back(fmt::format("{} {} {} {}", spec.size, spec.context.value_or(0),
                                name(spec.precision.value()), name(spec.mode.value())));
  }
  return found;
}

TEST(NsysPlan, KeepsTheStepsOfTheSmallestAndTheLargestSizeKernelByKernel) {
  EXPECT_THAT(traced(profile_input(Preset::kFull)),
              ElementsAre("small 512 fp32 train_step", "2.7B 512 fp32 train_step",
                          "small 512 bf16 train_step", "2.7B 512 bf16 train_step"));
  EXPECT_THAT(traced(profile_input(Preset::kDemo)),
              ElementsAre("demo-1 64 fp32 train_step", "demo-3 64 fp32 train_step"));
  const PlanInput later = profile_input(Preset::kFull, "2026");
  EXPECT_THAT(traced(later, fitting_up_to(1024, later)),
              ElementsAre("small 512 fp32 train_step", "xl 512 fp32 train_step",
                          "small 512 bf16 train_step", "xl 512 bf16 train_step"));
}

TEST(NsysPlan, KeepsALesserStepKernelByKernelWhereTheWholeDoesNotFit) {
  PlanInput input = profile_input(Preset::kQuick);
  const auto run = measured(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.mode == Mode::kTrainStep) end_with(launch, OutOfMemory{"backward", 1, 2, 3});
  });
  EXPECT_THAT(traced(input, run), testing::Contains("medium 512 fp32 forward_backward"));
}

TEST(NsysPlan, TheLimitsComeFirst) {
  EXPECT_EQ(plan_cells(profile_input(Preset::kFull), {}).front().spec.kind, CellKind::kLimits);
}

TEST(NsysPlan, QuickAndDemoHaveOneContext) {
  const auto quick = planned(profile_input(Preset::kQuick));
  EXPECT_EQ(quick.size(), 2u * 2);
  EXPECT_EQ(quick.front().context, 512);
  EXPECT_EQ(quick.front().steps, 3);
  EXPECT_EQ(planned(profile_input(Preset::kDemo)).size(), 3u * 2);
}

TEST(NsysPlan, TriesALesserModeWhereAStepDoesNotFit) {
  PlanInput input = profile_input(Preset::kFull);
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.contexts = {512};
  input.selection.precisions = {Precision::kFp32};
  const auto run = measured(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.mode == Mode::kTrainStep) end_with(launch, Skipped{"too large"});
    if (spec.mode == Mode::kForwardBackward) end_with(launch, OutOfMemory{"backward", 1, 2, 3});
  });
  EXPECT_EQ(contexts(run, "small", Mode::kForwardBackward), Contexts{512});
  EXPECT_EQ(contexts(run, "small", Mode::kForward), Contexts{512});
}

TEST(NsysPlan, AStepThatCrashedHasNoLesserOne) {
  PlanInput input = profile_input(Preset::kQuick);
  const auto run = measured(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.mode == Mode::kTrainStep) end_with(launch, Crashed{11, ""});
  });
  EXPECT_EQ(contexts(run, "small", Mode::kForwardBackward), Contexts{});
}

TEST(NsysPlan, The2026EditionBeginsWithTheShortestContextOfTwoSizesAndTheReferenceInBf16) {
  std::set<std::string> sizes;
  for (const CellSpec& spec : planned(profile_input(Preset::kFull, "2026"))) {
    sizes.insert(spec.size);
    EXPECT_EQ(spec.context, spec.precision == Precision::kBf16 ? 512 : 256);
  }
  EXPECT_EQ(sizes, (std::set<std::string>{"small", "xl"}));
}

TEST(NsysPlan, The2026EditionDoublesUntilAStepDoesNotFitAndProfilesTheLastThree) {
  const auto run = fitting_up_to(2048, profile_input(Preset::kFull, "2026"));
  EXPECT_EQ(contexts(run, "small", Mode::kTrainStep), (Contexts{256, 512, 1024, 2048, 4096}));
  EXPECT_EQ(contexts(run, "small", Mode::kInference), (Contexts{512, 1024, 2048}));
}

TEST(NsysPlan, FewerContextsFitASmallDevice) {
  const auto run = fitting_up_to(256, profile_input(Preset::kFull, "2026"));
  EXPECT_EQ(contexts(run, "xl", Mode::kTrainStep), (Contexts{256, 512}));
  EXPECT_EQ(contexts(run, "xl", Mode::kInference), Contexts{256});
}

TEST(NsysPlan, SelectionsCutItDown) {
  PlanInput input = profile_input(Preset::kFull);
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.contexts = {128};
  EXPECT_EQ(planned(input).size(), 2u);
  input.selection.modes = {Mode::kInference};
  EXPECT_EQ(planned(input).size(), 1u);
  input.selection.precisions = {Precision::kBf16};
  EXPECT_EQ(count(planned(input), Mode::kInference, Precision::kBf16), 1);
}

}  // namespace
}  // namespace labreport
