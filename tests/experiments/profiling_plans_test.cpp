// Tests which cells the problems of the profiling half plan, and that other problems add none.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "experiments/sample_runs.h"
#include "plan/memory.h"

namespace labreport::profiling_plans_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using namespace testing_samples;

using Contexts = std::set<std::int64_t>;

/// Counts the planned cells of a kind in one mode and precision.
std::ptrdiff_t count(const PlanInput& input, CellKind kind, Mode mode,
                     Precision precision = Precision::kFp32, const labreport::Run& so_far = {}) {
  return std::ranges::count_if(planned(input, kind, so_far), [&](const CellSpec& spec) {
    return spec.mode == mode && spec.precision == precision;
  });
}

std::int64_t launch_count(const PlanInput& input) {
  std::int64_t sum = 0;
  for (const PlannedCell& cell : plan_cells(input, {})) sum += cell.launches;
  return sum;
}

/// Returns the contexts at which a run has cells of one size in one mode.
Contexts contexts(const labreport::Run& run, CellKind kind, const char* size, Mode mode,
                  Precision precision = Precision::kFp32) {
  Contexts result;
  for (const Cell& cell : run.cells) {
    const CellSpec& spec = cell.spec;
    const bool matches = spec.kind == kind && spec.size == size && spec.mode == mode;
    if (matches && spec.precision == precision) result.insert(spec.context.value_or(0));
  }
  return result;
}

PlanInput one_size(const char* problem, Preset preset = Preset::kFull) {
  PlanInput input = input_for(problem, preset);
  input.selection.sizes = {input.edition.sizes[0]};
  return input;
}

TEST(Plan, HasOnlyTheProfilingHalfAndNoCellTwice) {
  using enum CellKind;
  for (const char* edition : {"2025", "2026"}) {
    for (const Preset preset : {Preset::kFull, Preset::kQuick, Preset::kDemo}) {
      std::set<std::string> ids;
      for (const CellSpec& spec : planned(plan_input(preset, edition))) {
        EXPECT_THAT(
            (std::set{kLimits, kTiming, kKernels, kMemory, kAccumulation, kDtypes, kLayerNorm}),
            Contains(spec.kind));
        EXPECT_EQ(spec.implementation, "");
        EXPECT_TRUE(ids.insert(cell_id(spec)).second) << cell_id(spec);
      }
    }
  }
}

TEST(Plan, HasOnlyTrainingStepsForTheOtherHalf) {
  for (const char* problem : {"data_parallel.a", "optimizer_state_sharding_accounting",
                              "fsdp_accounting", "gradient_checkpointing", "ladder"}) {
    PlanInput input = input_for(problem, Preset::kFull, "2026");
    EXPECT_FALSE(planned(input).empty()) << problem;
    input.selection.modes = {Mode::kForward};
    EXPECT_TRUE(planned(input).empty()) << problem;
    input.selection.modes.clear();
    input.selection.model.emplace();
    const bool averages_any_network = problem == std::string_view("data_parallel.a");
    EXPECT_EQ(planned(input).empty(), !averages_any_network) << problem;
  }
}

TEST(Catalog, RefusesAnUnknownPartAndNamesValidOnes) {
  EXPECT_EQ(find_experiment("benchmarking_script.c").name, "benchmarking_script");
  try {
    find_experiment("benchmarking_script.z");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("benchmarking_script.b"));
  }
}

TEST(BenchmarkingPlan, HasAllSizesAndModesAndFirstStepsFromThreeProcesses) {
  const PlanInput input = input_for("benchmarking_script");
  EXPECT_EQ(planned(input).front().kind, CellKind::kLimits);
  // Limits, 5 × 4 modes, two more first steps for two modes of five sizes, and five profiled.
  EXPECT_EQ(launch_count(input), 1 + 20 + 5 * 2 * 2 + 5);
  for (const CellSpec& spec : planned(input, CellKind::kKernels)) {
    EXPECT_EQ(spec.mode, Mode::kForwardBackward);
    EXPECT_EQ(spec.warmup, 0) << "the first step of a process is profiled";
    EXPECT_EQ(spec.steps, 0);
  }
  EXPECT_EQ(launch_count(input_for("benchmarking_script", Preset::kFull, "2026")),
            1 + 20 + 5 * 3 * 2 + 5)
      << "training steps start cold, too";
  EXPECT_EQ(launch_count(input_for("benchmarking_script", Preset::kQuick)), 1 + 2 * 4);
  EXPECT_EQ(launch_count(input_for("benchmarking_script.b")), 1 + 20);
}

TEST(BenchmarkingPlan, FollowsTheUsersSelection) {
  PlanInput input = one_size("benchmarking_script");
  input.selection.modes = {Mode::kForwardBackward};
  EXPECT_EQ(launch_count(input), 1 + 1 + 2 + 1) << "limits, a step, two first ones, a profile";
  input = one_size("benchmarking_script", Preset::kQuick);
  input.selection.modes = {Mode::kForward};
  input.selection.warmup = 5;
  input.selection.separate_warmups = true;
  EXPECT_EQ(launch_count(input), 1 + 4) << "a process for each number of warm-up steps";
}

/// Lists the cells that keep a timeline of their kernels, as "size context precision mode".
std::vector<std::string> traced_cells(const PlanInput& input, const labreport::Run& so_far = {}) {
  std::vector<std::string> lines;
  for (const PlannedCell& cell : plan_cells(input, so_far)) {
    const CellSpec& spec = cell.spec;
    if (!cell.gpu_trace) continue;
    lines.push_back(fmt::format("{} {} {} {}", spec.size, spec.context.value_or(0),
                                name(spec.precision.value()), name(spec.mode.value())));
  }
  return lines;
}

/// Returns a run in which steps at contexts above `longest_context` do not fit.
labreport::Run run_fitting_up_to(std::int64_t longest_context) {
  return fake_run(input_for("nsys_profile", Preset::kFull, "2026"),
                  [&](const CellSpec& spec, Launch& launch) {
                    if (spec.context > longest_context)
                      end_with(launch, OutOfMemory{"forward", 1, 2, 3});
                  });
}

TEST(NsysPlan, The2025EditionProfilesEverySizeAtFourContextsAndOneInBf16) {
  const PlanInput input = input_for("nsys_profile");
  EXPECT_EQ(planned(input).front().kind, CellKind::kLimits);
  for (const Mode mode : {Mode::kInference, Mode::kTrainStep}) {
    EXPECT_EQ(count(input, CellKind::kKernels, mode), 5 * 4) << "sizes × contexts";
    EXPECT_EQ(count(input, CellKind::kKernels, mode, Precision::kBf16), 5);
  }
  const CellSpec first = planned(input, CellKind::kKernels).front();
  EXPECT_EQ(first.warmup, 5);
  EXPECT_EQ(first.steps, 5) << "to compare with";
  // Two or three sizes run inference and a training step.
  EXPECT_EQ(planned(input_for("nsys_profile", Preset::kQuick), CellKind::kKernels).size(), 2u * 2);
  EXPECT_EQ(planned(input_for("nsys_profile", Preset::kDemo), CellKind::kKernels).size(), 3u * 2);
}

TEST(NsysPlan, TracesTheSmallestAndTheLargestSize) {
  EXPECT_THAT(traced_cells(input_for("nsys_profile")),
              ElementsAre("small 512 fp32 train_step", "2.7B 512 fp32 train_step",
                          "small 512 bf16 train_step", "2.7B 512 bf16 train_step"));
  EXPECT_THAT(
      traced_cells(input_for("nsys_profile", Preset::kFull, "2026"), run_fitting_up_to(1024)),
      ElementsAre("small 512 fp32 train_step", "xl 512 fp32 train_step",
                  "small 512 bf16 train_step", "xl 512 bf16 train_step"));
  const PlanInput quick = input_for("nsys_profile", Preset::kQuick);
  const auto no_room = fake_run(quick, [](const CellSpec& spec, Launch& launch) {
    if (spec.mode == Mode::kTrainStep) end_with(launch, OutOfMemory{"backward", 1, 2, 3});
  });
  EXPECT_THAT(traced_cells(quick, no_room), Contains("medium 512 fp32 forward_backward"));
}

TEST(NsysPlan, TriesAShorterModeIfAStepDoesNotFitButNotIfItCrashed) {
  PlanInput input = one_size("nsys_profile");
  input.selection.contexts = {512};
  input.selection.precisions = {Precision::kFp32};
  const auto run = fake_run(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.mode == Mode::kTrainStep) end_with(launch, Skipped{"too large"});
    if (spec.mode == Mode::kForwardBackward) end_with(launch, OutOfMemory{"backward", 1, 2, 3});
  });
  EXPECT_EQ(contexts(run, CellKind::kKernels, "small", Mode::kForward), Contexts{512});
  const auto crashed = fake_run(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.mode == Mode::kTrainStep) end_with(launch, Crashed{11, ""});
  });
  EXPECT_EQ(contexts(crashed, CellKind::kKernels, "small", Mode::kForwardBackward), Contexts{});
}

TEST(NsysPlan, The2026EditionDoublesUntilAStepDoesNotFitAndProfilesTheLastThree) {
  const auto first_plan =
      planned(input_for("nsys_profile", Preset::kFull, "2026"), CellKind::kKernels);
  for (const CellSpec& spec : first_plan) {
    EXPECT_EQ(spec.context, spec.precision == Precision::kBf16 ? 512 : 256);
  }
  const auto contexts_of = [](const labreport::Run& run, const char* size, Mode mode) {
    return contexts(run, CellKind::kKernels, size, mode);
  };
  const auto run = run_fitting_up_to(2048);
  EXPECT_EQ(contexts_of(run, "small", Mode::kTrainStep), (Contexts{256, 512, 1024, 2048, 4096}));
  EXPECT_EQ(contexts_of(run, "small", Mode::kInference), (Contexts{512, 1024, 2048}));
  const auto small_memory = run_fitting_up_to(256);
  EXPECT_EQ(contexts_of(small_memory, "xl", Mode::kTrainStep), (Contexts{256, 512}));
  EXPECT_EQ(contexts_of(small_memory, "xl", Mode::kInference), Contexts{256});
}

TEST(NsysPlan, FollowsTheUsersSelection) {
  PlanInput input = one_size("nsys_profile");
  input.selection.contexts = {128};
  EXPECT_EQ(planned(input, CellKind::kKernels).size(), 2u);
  input.selection.modes = {Mode::kInference};
  input.selection.precisions = {Precision::kBf16};
  EXPECT_EQ(planned(input, CellKind::kKernels).size(), 1u);
  EXPECT_EQ(count(input, CellKind::kKernels, Mode::kInference, Precision::kBf16), 1);
}

TEST(MixedPrecisionPlan, ComparesTrainStepsOfEverySizeAndSharesThoseInFp32) {
  const auto steps = [](const PlanInput& input, Precision precision) {
    return count(input, CellKind::kTiming, Mode::kTrainStep, precision);
  };
  PlanInput input = input_for("benchmarking_mixed_precision.c");
  EXPECT_EQ(planned(input).size(), 1u + 10u);  // The limits come first.
  EXPECT_EQ(steps(input, Precision::kBf16), 5);
  input.half_precision = Precision::kFp16;
  EXPECT_EQ(steps(input, Precision::kFp16), 5) << "where the device has no BF16";
  EXPECT_EQ(steps(input, Precision::kBf16), 0);
  input.selection.precisions = {Precision::kFp32, Precision::kTf32};
  EXPECT_EQ(steps(input, Precision::kTf32), 5);
  input = plan_input(Preset::kFull);
  input.selection.only = {"benchmarking_script", "benchmarking_mixed_precision.c"};
  EXPECT_EQ(steps(input, Precision::kFp32), 5);
}

TEST(MixedPrecisionPlan, TriesAShorterModeIfAStepDoesNotFit) {
  const PlanInput input = one_size("benchmarking_mixed_precision.c");
  labreport::Run run = empty_run(input);
  for (const CellSpec& spec : planned(input)) {
    if (spec.precision != Precision::kBf16) continue;
    Launch launch;
    end_with(launch, OutOfMemory{"optimizer", 1, 2, 3});
    run.find_or_add(spec).launches.push_back(launch);
  }
  const auto shorter_steps = [&](Precision precision) {
    return count(input, CellKind::kTiming, Mode::kForwardBackward, precision, run);
  };
  EXPECT_EQ(shorter_steps(Precision::kBf16), 1);
  EXPECT_EQ(shorter_steps(Precision::kFp32), 0);
}

TEST(MixedPrecisionPlan, TracesAUsersModelAndTheToyModel) {
  PlanInput input = input_for("benchmarking_mixed_precision.a");
  EXPECT_EQ(planned(input).size(), 1u);
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  const auto dtypes = planned(input);
  ASSERT_EQ(dtypes.size(), 2u);
  EXPECT_EQ(cell_id(dtypes[0]), "dtypes.cuda");
  EXPECT_EQ(cell_id(dtypes[1]), "dtypes.cuda.Net-0a1b2c3d.d768-f3072-l12-h12-v10000.b4.c512");
}

/// Runs the memory problem on a device of `gibibytes`.
labreport::Run memory_run(std::int64_t gibibytes, const char* edition) {
  const std::int64_t capacity = gibibytes << 30;
  return fake_run(input_for("memory_profiling", Preset::kFull, edition),
                  [capacity](const CellSpec& spec, Launch& launch) {
                    if (spec.kind != CellKind::kMemory) return;
                    launch = Launch{};
                    const auto reason = why_it_does_not_fit(spec, capacity);
                    if (reason) return end_with(launch, Skipped{*reason});
                    measure_memory(launch, spec, capacity);
                  });
}

Contexts memory_contexts(const labreport::Run& run, const char* size, Mode mode,
                         Precision precision = Precision::kFp32) {
  return contexts(run, CellKind::kMemory, size, mode, precision);
}

TEST(MemoryPlan, The2025EditionMeasuresOneSizeAtThreeContextsInTwoPrecisions) {
  const auto run = fake_run(input_for("memory_profiling"));
  for (const Cell& cell : run.cells) {
    EXPECT_EQ(cell.spec.warmup, 2);
    EXPECT_EQ(cell.spec.steps, 1);
  }
  EXPECT_EQ(run.cells.size(), 3u * 2 * 3) << "contexts × precisions × modes";
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    for (const Mode mode : {Mode::kInference, Mode::kForward, Mode::kTrainStep}) {
      EXPECT_EQ(memory_contexts(run, "2.7B", mode, precision), (Contexts{128, 256, 512}));
    }
  }
  EXPECT_EQ(fake_run(input_for("memory_profiling.b")).cells.size(), 9u) << "in FP32 alone";
}

TEST(MemoryPlan, The2026EditionDoublesToTheLongestContextThatFits) {
  const auto run = fake_run(input_for("memory_profiling", Preset::kFull, "2026"));
  EXPECT_EQ(memory_contexts(run, "xl", Mode::kTrainStep), (Contexts{128, 256, 512, 1024, 2048}));
  EXPECT_EQ(memory_contexts(run, "xl", Mode::kInference), (Contexts{128, 1024, 2048}));
  EXPECT_EQ(memory_contexts(run, "xl", Mode::kForwardBackward), Contexts{})
      << "where a forward has no room, none is tried";
  EXPECT_TRUE(memory_contexts(memory_run(400, "2026"), "xl", Mode::kTrainStep).contains(4096));
}

TEST(MemoryPlan, TakesASmallerSizeIfNoStepFits) {
  const auto small_device = memory_run(24, "2025");
  EXPECT_EQ(memory_contexts(small_device, "xl", Mode::kTrainStep), Contexts{128});
  EXPECT_EQ(memory_contexts(small_device, "xl", Mode::kInference), Contexts{});
  EXPECT_EQ(memory_contexts(small_device, "large", Mode::kInference), (Contexts{128, 256, 512}));
  EXPECT_EQ(memory_contexts(small_device, "medium", Mode::kTrainStep), Contexts{});
  EXPECT_EQ(memory_contexts(memory_run(40, "2025"), "2.7B", Mode::kForwardBackward),
            (Contexts{128, 256, 512}))
      << "a lesser step is tried where the forward fits";
}

TEST(MemoryPlan, TakesTheUsersSizesContextsAndModesOrThePresetsLargest) {
  PlanInput input = input_for("memory_profiling");
  input.selection.sizes = {input.edition.sizes[0], input.edition.sizes[1]};
  input.selection.contexts = {64};
  input.selection.modes = {Mode::kInference};
  const auto run = fake_run(input);
  EXPECT_EQ(run.cells.size(), 4u);
  EXPECT_EQ(memory_contexts(run, "medium", Mode::kInference, Precision::kBf16), Contexts{64});
  EXPECT_EQ(memory_contexts(fake_run(input_for("memory_profiling", Preset::kQuick)), "medium",
                            Mode::kTrainStep),
            Contexts{512});
}

}  // namespace
}  // namespace labreport::profiling_plans_test
