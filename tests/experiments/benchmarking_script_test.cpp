// Tests the benchmarking problem: its rows, and the runs in which each sentence appears.
#include <gmock/gmock.h>

#include "experiments/common/timing.h"
#include "experiments/problems.h"
#include "experiments/sample_runs.h"

namespace labreport::benchmarking_script {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

PlanInput benchmarking_input(Preset preset = Preset::kFull) {
  return input_for("benchmarking_script", preset);
}

PlanInput one_size(Preset preset = Preset::kFull) {
  PlanInput input = benchmarking_input(preset);
  input.selection.sizes = {input.edition.sizes[0]};
  return input;
}

std::string answer(const Run& run, const std::string& letter) {
  return part_of(run, "benchmarking_script." + letter).answer;
}

Dataset dataset(const Run& run, const std::string& letter, const std::string& name) {
  const Presentation parts = present(RunView(run, find_edition(run.edition)));
  for (const Dataset& dataset : parts.at(letter).datasets) {
    if (dataset.name == name) return dataset;
  }
  throw std::runtime_error("no dataset " + name);
}

const Value& value(const Dataset& dataset, std::size_t row, const std::string& column) {
  for (std::size_t i = 0; i < dataset.columns.size(); ++i) {
    if (dataset.columns[i].name == column) return dataset.rows.at(row).cells[i];
  }
  throw std::runtime_error("no column " + column);
}

double number(const Dataset& dataset, std::size_t row, const std::string& column) {
  return value(dataset, row, column).number() == nullptr ? -1
                                                         : *value(dataset, row, column).number();
}

/// Multiplies each sample of a metric in timing cells by `factor(index of the sample)`.
Change scale_timings(std::string_view tag, std::string_view name, double (*factor)(std::size_t)) {
  return where([](const CellSpec& spec) { return spec.kind == CellKind::kTiming; },
               each_sample(tag, name, [=](double ns, std::size_t i) { return factor(i) * ns; }));
}

Change scale_steps(double (*factor)(std::size_t)) {
  return scale_timings(metric::kStep, metric::kTotal, factor);
}

double one_tenth_more(std::size_t) { return 1.1; }

TEST(Sizes, SayWhyAPhaseIsMissing) {
  const auto run = fake_run(one_size(), [](const CellSpec& spec, Launch& launch) {
    if (spec.mode == Mode::kTrainStep) end_with(launch, OutOfMemory{"optimizer", 1 << 30, 1, 2});
  });
  const Dataset sizes = dataset(run, "b", "sizes");
  EXPECT_GT(number(sizes, 0, "backward"), 0);
  EXPECT_THAT(value(sizes, 0, "optimizer").reason, HasSubstr("out of memory in optimizer"));
  EXPECT_THAT(answer(run, "b"), Not(HasSubstr("optimizer")));
}

TEST(Ratio, IsCalledTwiceOnlyNearTwo) {
  EXPECT_THAT(answer(fake_run(one_size()), "b"), HasSubstr("about twice as long"));
  const auto slower = scale_timings(metric::kSynced, "backward", one_tenth_more);
  EXPECT_THAT(answer(fake_run(one_size(), slower), "b"),
              HasSubstr("the backward pass **2.20 times** as long, where the FLOP count"));
}

TEST(Spread, NamesTheExceptionToItsBound) {
  const auto uneven = [](std::size_t step) { return step % 2 == 0 ? 1 : 1.4; };
  const auto run = fake_run(one_size(), scale_timings(metric::kSynced, "optimizer", uneven));
  EXPECT_THAT(answer(run, "b"), HasSubstr("the optimizer by **18 %**."));
}

TEST(Spread, BlamesTheOptimizersLaunchesOnlyIfKernelsFillLittleOfItsTime) {
  PlanInput input = one_size();
  input.selection.only.emplace_back("nsys_profile.d");
  const auto part_if_busy = [&](double factor) {
    return part_of(fake_run(input, scaled(metric::kBusy, metric::kOptimizer, factor)),
                   "benchmarking_script.b");
  };
  const Part slow = part_if_busy(0.1), filled = part_if_busy(1e6);
  EXPECT_THAT(slow.answer, HasSubstr("because launches outlast kernels."));
  EXPECT_THAT(slow.tables.front().rows.front().joined_flags(), "launch-bound optimizer");
  EXPECT_THAT(filled.answer, Not(HasSubstr("because launches")));
  EXPECT_THAT(filled.tables.front().rows.front().joined_flags(), "");
}

TEST(Spread, CountsInference) {
  const auto is_inference = [](const CellSpec& spec) { return spec.mode == Mode::kInference; };
  const auto run = fake_run(
      one_size(),
      where(is_inference, each_sample(metric::kStep, metric::kTotal, [](double ns, std::size_t i) {
              return i % 2 ? 2 * ns : ns;
            })));
  EXPECT_THAT(answer(run, "b"), HasSubstr("Passes vary by at most **36 %**"));
}

TEST(Contexts, AreAColumnOfTheirOwn) {
  PlanInput input = one_size();
  EXPECT_TRUE(value(dataset(fake_run(input), "b", "sizes"), 0, "context").is_missing());
  input.selection.contexts = {128, 512};
  const Dataset sizes = dataset(fake_run(input), "b", "sizes");
  EXPECT_EQ(value(sizes, 1, "size").content, Value("small").content);
  EXPECT_EQ(number(sizes, 1, "context"), 512);
}

TEST(Tokens, AreDrawnOnlyForOneModeAndSeveralContexts) {
  PlanInput input = one_size();
  input.selection.contexts = {128, 512};
  EXPECT_TRUE(dataset(fake_run(input), "b", "tokens").rows.empty());
  input.selection.modes = {Mode::kForward};
  const auto run = fake_run(input);
  const Dataset tokens = dataset(run, "b", "tokens"), sizes = dataset(run, "b", "sizes");
  ASSERT_EQ(tokens.rows.size(), 2u);
  const double seconds = number(sizes, 1, "forward_step") / 1e3;
  EXPECT_NEAR(number(tokens, 1, "tokens"), 4 * 512 / seconds, 1) << "batch 4 at context 512";
}

TEST(Outliers, AreFoundIfThereAreTwo) {
  EXPECT_TRUE(has_outlier({20.8, 68.9, 0.80, 0.76, 0.81}));
  EXPECT_FALSE(has_outlier({1.00, 1.03, 0.98, 1.01, 1.04}));
}

TEST(GemmRate, IsMissingIfAKernelHasNoTime) {
  EXPECT_GT(number(dataset(fake_run(one_size()), "b", "sizes"), 0, "forward_rate"), 0);
  EXPECT_TRUE(
      value(dataset(fake_run(one_size(), without_a_kernel_time), "b", "sizes"), 0, "forward_rate")
          .is_missing());
}

TEST(Networks, HaveNoParameterCountIfTheModelIsTheUsers) {
  PlanInput own_network = one_size(), users_model = one_size();
  users_model.selection.model = ModelSource{.implementation = "TransformerLM-0a1b2c3d",
                                            .model = "model.py:TransformerLM",
                                            .arguments = {},
                                            .loss = {},
                                            .optimizer = {}};
  EXPECT_GT(number(dataset(fake_run(own_network), "a", "networks"), 0, "parameters"), 1e8);
  EXPECT_EQ(value(dataset(fake_run(users_model), "a", "networks"), 0, "parameters").number(),
            nullptr);
}

TEST(Windows, BeginAfterDifferentWarmups) {
  const Dataset windows = dataset(fake_run(one_size()), "c", "every-window");
  ASSERT_EQ(windows.rows.size(), 2u);
  // The fake worker's first step takes 5 times as long, which raises the mean of 10 by 40 %.
  EXPECT_NEAR(number(windows, 0, "rise"), 1.4, 0.01);
  EXPECT_NEAR(number(windows, 0, "w1"), number(windows, 0, "w5"), 0.01 * number(windows, 0, "w5"));
  EXPECT_NEAR(number(windows, 0, "first"), 5 * number(windows, 0, "w5"),
              0.1 * number(windows, 0, "w5"));
}

TEST(Windows, NameTheSizesThatRiseMostAndLeast) {
  const auto others_start_fast = [](const CellSpec& spec, Launch& launch) {
    if (spec.size == "small") return;
    scale_steps([](std::size_t step) { return step == 0 ? 0.3 : 1.0; })(spec, launch);
  };
  EXPECT_THAT(answer(fake_run(benchmarking_input(), others_start_fast), "c"),
              HasSubstr("is **1.40 times** as high for small and **1.05 times** for "));
}

TEST(Windows, HaveNoDeviationIfOneStepIsTimed) {
  PlanInput input = one_size();
  EXPECT_TRUE(value(dataset(fake_run(input), "c", "every-window"), 0, "w5").deviation);
  input.selection.steps = 1;
  EXPECT_FALSE(value(dataset(fake_run(input), "c", "every-window"), 0, "w5").deviation);
  EXPECT_THAT(answer(fake_run(input), "c"), HasSubstr("the mean of 1 forward+backward step is"));
}

TEST(Windows, HaveASecondRowForSeparateProcesses) {
  PlanInput input = one_size();
  input.selection.separate_warmups = true;
  const Dataset windows = dataset(fake_run(input), "c", "every-window");
  ASSERT_EQ(windows.rows.size(), 4u);
  EXPECT_EQ(format_value(value(windows, 1, "mode")), "forward, own processes");
  EXPECT_NEAR(number(windows, 1, "w0"), number(windows, 0, "w0"), 0.01 * number(windows, 0, "w0"));
  EXPECT_TRUE(value(windows, 1, "rise").is_missing());
}

TEST(FirstStep, HasCausesThatAddUpToItsTime) {
  const auto run = fake_run(one_size());
  const Dataset causes = dataset(run, "c", "first-step-causes");
  double sum = 0;
  for (std::size_t row = 0; row < causes.rows.size(); ++row) {
    if (format_value(value(causes, row, "bar")) == "first step") sum += number(causes, row, "ms");
  }
  EXPECT_NEAR(sum, number(dataset(run, "c", "first-step"), 0, "whole"), 1e-6);
}

TEST(FirstStep, HasNoCausesIfAPartWasNotMeasured) {
  for (const auto missing : {metric::kStep, metric::kBusy}) {
    const auto run = fake_run(one_size(), without_metric(metric::kProfile, missing));
    EXPECT_EQ(format_value(value(dataset(run, "c", "first-step-causes"), 0, "cause")),
              "first step");
  }
}

TEST(FirstStep, TakesItsExtraTimeFromStepsWithoutProfiler) {
  const auto words = [](double factor) {
    const auto initialization =
        combined(scaled(metric::kFirstLaunches, metric::kCodeLoading, factor),
                 scaled(metric::kFirstLaunches, metric::kCublasSetup, factor));
    const std::string text = answer(fake_run(one_size(), initialization), "c");
    const auto from = text.find("a process's first step takes");
    return from == std::string::npos ? "" : text.substr(from, text.find("longer", from) - from);
  };
  EXPECT_NE(words(1.2), "");
  EXPECT_EQ(words(1.2), words(1.5)) << "the profiled step only tells what a first step does";
  EXPECT_EQ(words(10), "") << "it is something else";
}

TEST(FirstStep, HasNoReasonIfNoneWasMeasuredOrLaterStepsVaryAsMuch) {
  for (const Preset preset : {Preset::kQuick, Preset::kDemo}) {
    EXPECT_THAT(answer(fake_run(one_size(preset)), "c"), HasSubstr("This run does not show why."));
  }
  const auto varying = scale_steps([](std::size_t step) { return step % 3 == 1 ? 8.0 : 1.0; });
  EXPECT_THAT(answer(fake_run(one_size(), varying), "c"), HasSubstr("This run does not show why."));
}

TEST(SecondStep, ShowsWhetherOneWarmupStepIsEnough) {
  EXPECT_THAT(answer(fake_run(one_size()), "c"),
              HasSubstr("One warm-up step is enough for the mean here."));
  const auto slow_second_step = scale_steps([](std::size_t step) { return step == 1 ? 1.3 : 1.0; });
  EXPECT_THAT(answer(fake_run(one_size(), slow_second_step), "c"),
              HasSubstr("One warm-up step is not enough for small, whose mean still changes"));
}

TEST(LaterSteps, AreNamedIfTheyStillAllocate) {
  EXPECT_THAT(answer(fake_run(one_size()), "c"), Not(HasSubstr("timed steps of small")));
  const auto run = fake_run(one_size(), [](const CellSpec& spec, Launch& launch) {
    if (spec.mode != Mode::kTrainStep || spec.kind != CellKind::kTiming) return;
    launch.conditions.push_back(integer_metric("gpu", "device_allocations", "1", 2));
  });
  EXPECT_THAT(answer(run, "c"), HasSubstr("timed steps of small still called `cudaMalloc`."));
}

}  // namespace
}  // namespace labreport::benchmarking_script
