// Tests the benchmarking problem: its rows, and the runs in which each sentence appears.
#include <gmock/gmock.h>

#include "experiments/common/timing.h"
#include "experiments/problems.h"
#include "experiments/sample_runs.h"

namespace labreport::benchmarking_script {
namespace {

using testing::AllOf;
using testing::Contains;
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

TEST(Sizes, SayWhyAPhaseIsMissing) {
  const auto run = fake_run(one_size(), [](const CellSpec& spec, Launch& launch) {
    if (spec.mode == Mode::kTrainStep) end_with(launch, OutOfMemory{"optimizer", 1 << 30, 1, 2});
  });
  const Dataset sizes = dataset(run, "b", "sizes");
  EXPECT_GT(number(sizes, 0, "backward"), 0);
  EXPECT_THAT(value(sizes, 0, "optimizer").reason, HasSubstr("out of memory in optimizer"));
}

TEST(Program, IsAttachedWithTheFilesThatTimeAStep) {
  const auto attachments = part_of(fake_run(one_size()), "benchmarking_script.a").attachments;
  ASSERT_EQ(attachments.size(), 1u);
  EXPECT_EQ(attachments.front().name, "program.cpp");
  for (const char* file : {"src/measure/timing/timing.cpp", "src/engine/step_clock.cpp"})
    EXPECT_THAT(attachments.front().bytes, HasSubstr("// " + std::string(file)));
}

TEST(BackwardPass, IsExplainedByRatesOfGemmsThatFillMostOfItOrElseSplit) {
  // The fake worker's GEMMs fill its forward pass; in its backward pass they take 2.2 times as
  // long.
  const auto words_if = [](double forward, double backward, double backward_gemms) {
    const auto passes = combined(scaled(metric::kSynced, metric::kForward, forward),
                                 scaled(metric::kSynced, metric::kBackward, backward / 2));
    const auto gemms = each_row(metric::kKernels, [=](const NamedRow& row) {
      if (row.has(column::kPhase, "backward")) row.scale(column::kTotalNs, backward_gemms / 2.2);
    });
    return answer(fake_run(one_size(), combined(passes, gemms)), "b");
  };
  EXPECT_THAT(words_if(1.25, 3.75, 3.25),
              HasSubstr("**3.00 times** as long: twice the FLOPs at 0.62"));
  EXPECT_THAT(words_if(1.25, 3.75, 1.9), HasSubstr("**3.00 times** as long."));
  EXPECT_THAT(words_if(2.5, 5, 2), HasSubstr("**2.00 times** as long."));
}

TEST(Spread, BlamesLaunchesOnlyIfTheCpuSetsTheTime) {
  const auto words_if = [](double (*queued)(std::size_t)) {
    const auto uneven = scale_timings(metric::kSynced, metric::kOptimizer,
                                      [](std::size_t step) { return step % 2 == 0 ? 1 : 1.4; });
    const auto events = scale_timings(metric::kEvent, metric::kOptimizer, queued);
    return answer(fake_run(one_size(), combined(uneven, events)), "b");
  };
  const std::string slow = words_if([](std::size_t) { return 0.5; });
  EXPECT_THAT(slow, HasSubstr("; small's optimizer varies by 18 %, set by"));
  EXPECT_THAT(words_if([](std::size_t) { return 1.0; }), Not(HasSubstr("set by")));
}

TEST(Spread, IsNotDecidedByASingleStalledStep) {
  const auto stalled = scale_timings(metric::kSynced, "forward",
                                     [](std::size_t step) { return step == 7 ? 5. : 1.; });
  const auto uneven = scale_timings(metric::kSynced, "forward",
                                    [](std::size_t step) { return step % 2 == 0 ? 1 : 1.4; });
  EXPECT_THAT(answer(fake_run(one_size(), stalled), "b"), Not(HasSubstr("optimizers by less")));
  EXPECT_THAT(answer(fake_run(one_size(), uneven), "b"),
              HasSubstr("vary by up to **18 %** (small's forward pass), optimizers by less."));
}

TEST(Spread, TellsThatTheShortestPassVariesMost) {
  PlanInput input = one_size();
  input.selection.sizes = {input.edition.sizes[0], input.edition.sizes[1]};
  const auto uneven = [](const std::string& size) {
    return where([=](const CellSpec& spec) { return spec.size == size; },
                 scale_timings(metric::kSynced, "forward",
                               [](std::size_t step) { return step % 2 == 0 ? 1 : 1.4; }));
  };
  EXPECT_THAT(answer(fake_run(input, uneven("small")), "b"),
              HasSubstr("(small's forward pass, the shortest)"));
  EXPECT_THAT(answer(fake_run(input, uneven("medium")), "b"), HasSubstr("(medium's forward pass)"));
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
  ASSERT_EQ(windows.rows.size(), 3u);
  // The fake worker's first step takes 5 times as long, which raises the mean of 10 by 40 %.
  EXPECT_NEAR(number(windows, 0, "rise"), 1.4, 0.01);
  EXPECT_NEAR(number(windows, 0, "w1"), number(windows, 0, "w5"), 0.01 * number(windows, 0, "w5"));
  EXPECT_NEAR(number(windows, 0, "first"), 5 * number(windows, 0, "w5"),
              0.1 * number(windows, 0, "w5"));
}

TEST(Windows, HaveNoDeviationIfOneStepIsTimed) {
  PlanInput input = one_size();
  EXPECT_TRUE(value(dataset(fake_run(input), "c", "every-window"), 0, "w5").deviation);
  input.selection.steps = 1;
  EXPECT_FALSE(value(dataset(fake_run(input), "c", "every-window"), 0, "w5").deviation);
}

TEST(Windows, HaveASecondRowForSeparateProcesses) {
  PlanInput input = one_size();
  input.selection.separate_warmups = true;
  const Dataset windows = dataset(fake_run(input), "c", "every-window");
  ASSERT_EQ(windows.rows.size(), 5u);
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

TEST(FirstStep, IsExplainedByInitializationOfAboutItsExtraTime) {
  // First steps take 500 ms longer at every size.
  const auto steps = where([](const CellSpec& spec) { return spec.kind == CellKind::kTiming; },
                           each_sample(metric::kStep, metric::kTotal, [](double, std::size_t i) {
                             return i == 0 ? 6e8 : 1e8 + 1e5 * static_cast<double>(i % 2);
                           }));
  const auto answer_if = [&](double loading_ns, const PlanInput& input) {
    const auto takes = [=](double, std::size_t) { return loading_ns; };
    const auto initialization =
        combined(each_sample(metric::kFirstLaunches, metric::kCodeLoading, takes),
                 each_sample(metric::kFirstLaunches, metric::kCublasSetup, takes));
    return answer(fake_run(input, combined(initialization, steps)), "c");
  };
  const auto explained = HasSubstr("longer, mostly loading CUDA modules");
  EXPECT_THAT(answer_if(2e8, benchmarking_input()), explained);
  EXPECT_THAT(answer_if(2e7, benchmarking_input()), Not(explained)) << "something else";
  EXPECT_THAT(answer_if(2e8, benchmarking_input(Preset::kQuick)), Not(explained)) << "no profile";
}

TEST(FirstStep, RaisesTheMeanOnlyIfLaterStepsVaryLess) {
  EXPECT_THAT(answer(fake_run(one_size()), "c"),
              HasSubstr("the first step raises small's mean of 10"));
  const auto varying = scale_steps([](std::size_t step) { return step % 3 == 1 ? 8.0 : 1.0; });
  EXPECT_THAT(answer(fake_run(one_size(), varying), "c"), Not(HasSubstr("the first step raises")));
}

TEST(AfterOneStep, LaterStepsAreComparedWithThoseAfterAll) {
  const auto even = scale_steps([](std::size_t step) { return 1 + 0.002 * (step % 2); });
  const auto slow_second_step =
      scale_steps([](std::size_t step) { return step == 1 ? 1.3 : 1 + 0.002 * (step % 2); });
  EXPECT_THAT(
      answer(fake_run(one_size(), even), "c"),
      HasSubstr("One warm-up step suffices for forward+backward and training: means differ "));
  EXPECT_THAT(
      answer(fake_run(one_size(), slow_second_step), "c"),
      AllOf(HasSubstr("small's forward+backward steps then vary **"), Not(HasSubstr("suffices"))));
}

TEST(AfterOneStep, TheLargestChangeIsThatOfAnyNamedStepWithoutALaterOutlier) {
  const auto in_training = [](const Change& change) {
    return where(
        [](const CellSpec& spec) {
          return spec.kind == CellKind::kTiming && spec.mode == Mode::kTrainStep;
        },
        change);
  };
  const auto even = scale_steps([](std::size_t step) { return 1 + 0.002 * (step % 2); });
  // Steps 2 to 11 are compared with steps 6 to 15.
  const auto slower = scale_steps([](std::size_t step) { return step >= 11 ? 1.02 : 1.0; });
  EXPECT_THAT(answer(fake_run(one_size(), combined(even, in_training(slower))), "c"),
              HasSubstr("and training: means differ **up to"));
  const auto stalled = scale_steps([](std::size_t step) { return step == 13 ? 3.0 : 1.0; });
  EXPECT_THAT(answer(fake_run(one_size(), combined(even, in_training(stalled))), "c"),
              HasSubstr("suffices for forward+backward: means differ"))
      << "only forward+backward can be judged";
}

TEST(AfterOneStep, UnevenStepsAreNamedThatAreNotJudged) {
  const auto even = scale_steps([](std::size_t step) { return 1 + 0.002 * (step % 2); });
  const auto stalled = scale_steps([](std::size_t step) { return step == 13 ? 3.0 : 1.0; });
  const auto of_small = [&](Mode mode) {
    const auto is_stalled = [=](const CellSpec& spec) {
      return spec.kind == CellKind::kTiming && spec.mode == mode && spec.size == "small";
    };
    return answer(fake_run(benchmarking_input(), combined(even, where(is_stalled, stalled))), "c");
  };
  EXPECT_THAT(of_small(Mode::kTrainStep),
              HasSubstr("for forward+backward and training (not judged: small's uneven training): "
                        "means differ"));
  EXPECT_THAT(of_small(Mode::kForwardBackward),
              HasSubstr("(not judged: small's uneven forward+backward): means differ"));
}

TEST(AfterOneStep, ATrainingStepThatAllocatesMomentsIsTold) {
  const auto is_training = [](const CellSpec& spec) {
    return spec.kind == CellKind::kTiming && spec.mode == Mode::kTrainStep;
  };
  const auto even = scale_steps([](std::size_t step) { return 1 + 0.002 * (step % 2); });
  const auto late = combined(
      even,
      where(is_training, scale_steps([](std::size_t step) { return step == 1 ? 1.3 : 1.0; })));
  const auto allocates = where(is_training, [](const CellSpec&, Launch& launch) {
    launch.metrics.push_back({std::string(metric::kStep), std::string(metric::kDeviceAllocations),
                              "1", Samples(std::vector<double>{9, 25, 0}), ""});
  });
  const auto deviates =
      HasSubstr("One warm-up step is not enough: small's training steps then vary **");
  EXPECT_THAT(answer(fake_run(one_size(), late), "c"),
              AllOf(deviates, HasSubstr(" as later, as the second is longer.")));
  EXPECT_THAT(
      answer(fake_run(one_size(), combined(late, allocates)), "c"),
      AllOf(deviates, HasSubstr(" as later, as the second allocates beside AdamW's state.")));
  EXPECT_THAT(answer(fake_run(one_size(), combined(even, allocates)), "c"),
              AllOf(HasSubstr("and training"),
                    HasSubstr(", though AdamW's new state lets the second allocate.")))
      << "allocations cost no time that shows";
}

TEST(Outliers, AreFoundInSynchronizedPhases) {
  const auto stalled = each_sample(metric::kSynced, metric::kBackward,
                                   [](double ns, std::size_t i) { return i == 8 ? 1.5 * ns : ns; });
  EXPECT_THAT(
      dataset(fake_run(one_size(), stalled), "b", "sizes").rows.at(0).flags,
      AllOf(Contains("outlier"), Contains(testing::StartsWith("mean of backward without it "))));
}

TEST(SharedCpu, IsFlaggedAndExplainedInTheReportOfACpu) {
  const labreport::Run run = fake_run(one_size(Preset::kDemo), [](const CellSpec&, Launch& launch) {
    launch.conditions.push_back(integer_metric(metric::kHost, metric::kOtherProcesses, "1", 2));
  });
  EXPECT_THAT(dataset(run, "b", "sizes").rows.at(0).flags, Contains("shared CPU"));
  EXPECT_THAT(part_of(run, "benchmarking_script.b").details.method, HasSubstr("*shared CPU* when"));
  EXPECT_THAT(part_of(fake_run(one_size()), "benchmarking_script.b").details.method,
              AllOf(HasSubstr("*shared GPU* when"), Not(HasSubstr("shared CPU"))));
}

TEST(Optimizer, IsLaunchBoundWithoutAProfileIfAFullQueueMakesItFaster) {
  const auto flags_if = [](double factor) {
    const auto slower = each_sample(metric::kSynced, metric::kOptimizer,
                                    [factor](double ns, std::size_t) { return factor * ns; });
    return dataset(fake_run(one_size(), slower), "b", "sizes").rows.at(0).flags;
  };
  EXPECT_THAT(flags_if(2), Contains("launch-bound optimizer"));
  EXPECT_THAT(flags_if(1.1), Not(Contains("launch-bound optimizer")));
}

}  // namespace
}  // namespace labreport::benchmarking_script
