// The benchmarking problem: its rows, and its sentences where they hold and where not.
#include <gmock/gmock.h>

#include "experiments/problems.h"
#include "experiments/sample_runs.h"

namespace labreport::benchmarking_script {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

/// The benchmarking problem alone.
PlanInput asked(Preset preset = Preset::kFull) { return only("benchmarking_script", preset); }

PlanInput one_size(Preset preset = Preset::kFull) {
  PlanInput input = asked(preset);
  input.selection.sizes = {input.edition.sizes[0]};
  return input;
}

/// The part's answer, its tags filled.
std::string answer(const Run& run, const std::string& letter) {
  return part_of(run, "benchmarking_script." + letter).answer;
}

Dataset dataset(const Run& run, const std::string& letter, const std::string& name) {
  const Presentation shown = present(RunView(run, find_edition(run.edition)));
  for (const Dataset& dataset : shown.at(letter).datasets) {
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

/// Multiplies each sample of a timing's metric by what `factor` says of its place.
Change timings(std::string_view tag, std::string_view name, double (*factor)(std::size_t)) {
  return where([](const CellSpec& spec) { return spec.kind == CellKind::kTiming; },
               each_sample(tag, name, [=](double ns, std::size_t i) { return factor(i) * ns; }));
}

Change steps(double (*factor)(std::size_t)) {
  return timings(metric::kStep, metric::kTotal, factor);
}

double uneven(std::size_t step) { return step % 2 == 0 ? 1 : 1.4; }
double a_tenth_more(std::size_t) { return 1.1; }

TEST(Sizes, SayWhyAPhaseIsMissing) {
  const auto run = measured(one_size(), [](const CellSpec& spec, Launch& launch) {
    if (spec.mode == Mode::kTrainStep) end_with(launch, OutOfMemory{"optimizer", 1 << 30, 1, 2});
  });
  const Dataset sizes = dataset(run, "b", "sizes");
  EXPECT_GT(number(sizes, 0, "backward"), 0);
  EXPECT_THAT(value(sizes, 0, "optimizer").reason, HasSubstr("out of memory in optimizer"));
  EXPECT_THAT(answer(run, "b"), Not(HasSubstr("optimizer")));
}

TEST(Spread, NamesWholeStepsThatAreOutliers) {
  const auto long_step = steps([](std::size_t step) { return step == 7 ? 3.0 : 1.0; });
  EXPECT_THAT(answer(measured(one_size(), long_step), "b"),
              HasSubstr("whole steps of small include outliers of up to 3.0"));
  EXPECT_THAT(answer(measured(one_size()), "b"), Not(HasSubstr("outliers")));
}

TEST(Ratio, IsExplainedByGemmsThatAreSlowerBackwardInTheProfile) {
  const auto slower =
      timings(metric::kSynced, "backward", a_tenth_more);  // As the fake's backward GEMMs are.
  EXPECT_THAT(answer(measured(one_size(), slower), "b"),
              HasSubstr("(the FLOP count predicts 2×; small has 2.20×, because its GEMMs run at"));
  EXPECT_THAT(answer(measured(one_size(Preset::kQuick), slower), "b"), Not(HasSubstr("GEMMs")))
      << "not profiled";
}

TEST(Ratio, HasNoGemmRateWhereAKernelHasNoTime) {
  EXPECT_GT(number(dataset(measured(one_size()), "b", "sizes"), 0, "forward_rate"), 0);
  EXPECT_TRUE(value(dataset(measured(one_size(), without_a_time), "b", "sizes"), 0, "forward_rate")
                  .is_missing());
}

TEST(Ratio, IsNotExplainedByGemmsThatAreFasterBackward) {
  const auto faster = timings(metric::kSynced, "backward", [](std::size_t) { return 0.8; });
  EXPECT_THAT(answer(measured(one_size(), faster), "b"), Not(HasSubstr("GEMMs")));
}

TEST(Networks, OfAModelInPythonHaveNoParametersByFormula) {
  PlanInput own = one_size(), theirs = one_size();
  theirs.selection.model = ModelSource{.implementation = "TransformerLM-0a1b2c3d",
                                       .model = "model.py:TransformerLM",
                                       .arguments = {},
                                       .loss = {},
                                       .optimizer = {}};
  EXPECT_GT(number(dataset(measured(own), "a", "networks"), 0, "parameters"), 1e8);
  EXPECT_EQ(value(dataset(measured(theirs), "a", "networks"), 0, "parameters").number(), nullptr);
  EXPECT_THAT(answer(measured(theirs), "b"), Not(HasSubstr("GEMMs")));
}

TEST(Spread, IsThatOfThePassesAndOfTheOptimizer) {
  EXPECT_THAT(answer(measured(one_size()), "b"), HasSubstr("The passes vary little: "));
  const auto passes = measured(one_size(), timings(metric::kSynced, "forward", uneven));
  EXPECT_THAT(answer(passes, "b"), HasSubstr("The passes vary: "));
  const auto optimizer = measured(one_size(), timings(metric::kSynced, "optimizer", uneven));
  EXPECT_THAT(answer(optimizer, "b"), HasSubstr("The passes vary little: "));
  EXPECT_THAT(answer(optimizer, "b"),
              HasSubstr("that of the optimizer is at most **18 %** (small)"));
}

TEST(Spread, OfTheOptimizerHasNoReasonBecauseStepsThatSettleVaryTheSameWay) {
  const auto settling =
      timings(metric::kSynced, "optimizer", [](std::size_t step) { return step < 3 ? 1.5 : 1.0; });
  EXPECT_THAT(answer(measured(one_size(), settling), "b"),
              ContainsRegex(R"(that of the optimizer is at most \*\*[0-9]+ %\*\* \(small\)\.)"));
}

TEST(Spread, CountsTheForwardPassAloneToo) {
  const auto wide = steps([](std::size_t step) { return step % 2 == 0 ? 1.0 : 1.02; });
  EXPECT_THAT(answer(measured(one_size(), wide), "b"), HasSubstr("(small, forward alone)"));
}

TEST(Windows, CountTheSameStepsFromDifferentBeginnings) {
  const Dataset windows = dataset(measured(one_size()), "c", "every-window");
  ASSERT_EQ(windows.rows.size(), 2u);
  EXPECT_NEAR(number(windows, 0, "rise"), 1.4,
              0.01);  // The fake's first step takes 5 times as long.
  EXPECT_NEAR(number(windows, 0, "w1"), number(windows, 0, "w5"), 0.01 * number(windows, 0, "w5"));
  EXPECT_NEAR(number(windows, 0, "first"), 5 * number(windows, 0, "w5"),
              0.1 * number(windows, 0, "w5"));
}

TEST(Windows, AreToldOfTheSizesThatRiseMostAndLeast) {
  const auto small_alone = [](const CellSpec& spec, Launch& launch) {
    if (spec.size == "small") return;
    steps([](std::size_t step) { return step == 0 ? 0.3 : 1.0; })(spec, launch);
  };
  EXPECT_THAT(
      answer(measured(asked(), small_alone), "c"),
      HasSubstr("is **40 %** higher for small (829.3 → 1,160 ms) and **5.0 %** higher for"));
}

TEST(Windows, OfALoneStepHaveNoDeviation) {
  PlanInput input = one_size();
  EXPECT_TRUE(value(dataset(measured(input), "c", "every-window"), 0, "w5").deviation);
  EXPECT_THAT(answer(measured(input), "c"), HasSubstr("the standard deviation of small goes"));
  input.selection.steps = 1;
  EXPECT_FALSE(value(dataset(measured(input), "c", "every-window"), 0, "w5").deviation);
  EXPECT_THAT(answer(measured(input), "c"), Not(HasSubstr("standard deviation")));
}

TEST(Windows, OfProcessesOfTheirOwnStandBesideThem) {
  PlanInput input = one_size();
  input.selection.separate_warmups = true;
  const Dataset windows = dataset(measured(input), "c", "every-window");
  ASSERT_EQ(windows.rows.size(), 4u);
  EXPECT_EQ(format_value(value(windows, 1, "mode")), "forward, own processes");
  EXPECT_NEAR(number(windows, 1, "w0"), number(windows, 0, "w0"), 0.01 * number(windows, 0, "w0"));
  EXPECT_TRUE(value(windows, 1, "rise").is_missing());
}

TEST(FirstStep, IsSplitIntoWhatAddsUpToIt) {
  const auto run = measured(one_size());
  const Dataset causes = dataset(run, "c", "first-step-causes");
  double sum = 0;
  for (std::size_t row = 0; row < causes.rows.size(); ++row) {
    if (format_value(value(causes, row, "bar")) == "first step") sum += number(causes, row, "ms");
  }
  EXPECT_NEAR(sum, number(dataset(run, "c", "first-step"), 0, "whole"), 1e-6);
}

TEST(FirstStep, IsNotSplitWherePartOfItWasNotMeasured) {
  for (const auto missing : {metric::kStep, metric::kBusy}) {
    const auto run = measured(one_size(), without(metric::kProfile, missing));
    EXPECT_EQ(format_value(value(dataset(run, "c", "first-step-causes"), 0, "cause")),
              "first step");
  }
}

TEST(FirstStep, CostsTheSameRegardlessOfModelSizeOnlyWhereItDoes) {
  const auto constant = [](const CellSpec& spec, Launch& launch) {
    if (spec.kind != CellKind::kTiming) return;
    const auto steps = launch.find(metric::kStep, metric::kTotal)->numbers();
    const double steady = steps.size() > 1 ? steps[1] : steps[0] / 5;
    each_sample(metric::kStep, metric::kTotal, [=](double ns, std::size_t step) {
      return step == 0 ? steady + 250e6 : ns;
    })(spec, launch);
  };
  EXPECT_THAT(answer(measured(asked(), constant), "c"), HasSubstr("regardless of model size"));
  EXPECT_THAT(answer(measured(asked()), "c"), Not(HasSubstr("regardless of model size")));
}

/// The first steps of that size's training called `cudaMalloc` so often, all others 100 times.
Change training_allocates(const std::string& size, std::int64_t calls) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.kind != CellKind::kTiming) return;
    const bool more = spec.mode == Mode::kTrainStep && spec.size == size;
    launch.metrics.push_back(
        sample_metric("step", "device_allocations", "1", {more ? calls : 100, 0}));
  };
}

TEST(FirstStep, OfTrainingNamesTheSizesWhoseStateNeedsMoreCallsForMemory) {
  PlanInput input = asked();
  input.edition = find_edition("2026");
  const std::string more = answer(measured(input, training_allocates("xl", 164)), "c");
  EXPECT_THAT(more,
              HasSubstr("AdamW's moments, which takes more `cudaMalloc` calls only for xl (164 vs. "
                        "100 in forward+backward)"));
  EXPECT_THAT(answer(measured(input, training_allocates("xl", 100)), "c"),
              HasSubstr("AdamW's moments, without more `cudaMalloc` calls than"));
  EXPECT_THAT(answer(measured(input), "c"), Not(HasSubstr("AdamW's moments"))) << "not known";
}

TEST(FirstStep, HasNoReasonWhereNoneWasMeasuredOrLaterStepsVaryAsMuch) {
  for (const Preset preset : {Preset::kQuick, Preset::kDemo}) {
    EXPECT_THAT(answer(measured(one_size(preset)), "c"), HasSubstr("no profile shows why"));
  }
  const auto shaken = steps([](std::size_t step) { return step % 3 == 1 ? 8.0 : 1.0; });
  EXPECT_THAT(answer(measured(one_size(), shaken), "c"),
              HasSubstr("once warm; no profile shows why"));
}

TEST(SecondStep, MayLeaveADeviationThatTheMeanHides) {
  const auto shaken = steps([](std::size_t step) { return step == 3 ? 1.06 : 1.0; });
  EXPECT_THAT(answer(measured(one_size(), shaken), "c"),
              HasSubstr("but not for the standard deviation, which still falls from"));
  EXPECT_THAT(answer(measured(one_size()), "c"), Not(HasSubstr("standard deviation, which")));
}

TEST(SecondStep, ShowsWhetherOneWarmupStepIsEnough) {
  EXPECT_THAT(answer(measured(one_size()), "c"),
              HasSubstr("One warm-up step suffices for the mean here"));
  const auto slow = steps([](std::size_t step) { return step == 1 ? 1.3 : 1.0; });
  EXPECT_THAT(answer(measured(one_size(), slow), "c"),
              HasSubstr("One warm-up step does not suffice: after it, the mean of small"));
  EXPECT_THAT(answer(measured(one_size(), slow), "c"), HasSubstr("does not show which"));
}

TEST(LaterSteps, ThatAllocatedShowThatAFewMayNotBeEnough) {
  EXPECT_THAT(answer(measured(one_size()), "c"), Not(HasSubstr("timed steps of small")));
  const auto run = measured(one_size(), [](const CellSpec& spec, Launch& launch) {
    if (spec.mode != Mode::kTrainStep || spec.kind != CellKind::kTiming) return;
    launch.conditions.push_back(integer_metric("gpu", "device_allocations", "1", 2));
  });
  EXPECT_THAT(answer(run, "c"),
              HasSubstr("timed steps of small still called `cudaMalloc` after 5 warm-up steps"));
}

}  // namespace
}  // namespace labreport::benchmarking_script
