// Tests how a training step scales to several GPUs: its plan, and the runs in which each sentence
// appears.
#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/sample_runs.h"
#include "experiments/scaling/steps.h"
#include "plan/arithmetic.h"

namespace labreport::scaling_test {
namespace {

using namespace testing_samples;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

PlanInput scaling_input() { return input_for("scaling", Preset::kFull, "2026"); }

Change on_host_with(std::int64_t gpus) {
  return where([=](const CellSpec& spec) { return spec.ranks && spec.ranks->count > gpus; },
               [=](const CellSpec&, Launch& launch) {
                 end_with(launch, Skipped{"this host has " + std::to_string(gpus) + " GPUs"});
               });
}

/// Lets the step on one GPU take 500 ms, 24 of them in the optimizer, which fits the fake's ranks.
Change with_fitting_single_step() {
  const auto constant = [](std::string_view tag, std::string_view name, double ms) {
    return each_sample(tag, name, [=](double, std::size_t) { return 1e6 * ms; });
  };
  return where([](const CellSpec& spec) { return !spec.ranks && spec.kind == CellKind::kTiming; },
               combined(constant(metric::kStep, metric::kTotal, 500),
                        combined(constant(metric::kEvent, metric::kOptimizer, 24),
                                 constant(metric::kSynced, metric::kOptimizer, 24))));
}

Part report(const Change& change) {
  return part_of(fake_run(scaling_input(), combined(with_fitting_single_step(), change)),
                 "scaling");
}

std::vector<std::pair<std::int64_t, std::int64_t>> ranks_and_batches(const Run& run) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const Cell& cell : run.cells) {
    if (!cell.spec.ranks) continue;
    const std::pair next(cell.spec.ranks->count, *cell.spec.batch);
    if (std::ranges::find(all, next) == all.end()) all.push_back(next);
  }
  return all;
}

Change in_scheme(Scheme scheme, const Change& change) {
  return where([=](const CellSpec& spec) { return spec.scheme == scheme; }, change);
}

TEST(ScalingPlan, SharesTheBatchAndRepeatsItOnEachRank) {
  EXPECT_THAT(ranks_and_batches(fake_run(scaling_input(), on_host_with(2))),
              ElementsAre(std::pair(2, 2), std::pair(2, 4), std::pair(4, 1)));
  EXPECT_THAT(ranks_and_batches(fake_run(scaling_input(), on_host_with(4))),
              ElementsAre(std::pair(2, 2), std::pair(2, 4), std::pair(4, 1), std::pair(4, 4),
                          std::pair(8, 4)));
}

TEST(ScalingPlan, FindsOutWithOneCellThatTheHostHasFewerGpus) {
  const labreport::Run run = fake_run(scaling_input(), on_host_with(2));
  EXPECT_EQ(std::ranges::count_if(
                run.cells,
                [](const Cell& cell) { return cell.spec.ranks && cell.spec.ranks->count == 4; }),
            1);
}

TEST(ScalingPlan, GoesOnIfAStepIsTooLargeForTheGpu) {
  const auto too_large = in_scheme(Scheme::kNone, [](const CellSpec& spec, Launch& launch) {
    if (spec.ranks->count == 2) end_with(launch, Skipped{*why_it_does_not_fit(spec, 1 << 30)});
  });
  EXPECT_THAT(ranks_and_batches(fake_run(scaling_input(), combined(on_host_with(2), too_large))),
              ElementsAre(std::pair(2, 2), std::pair(2, 4), std::pair(4, 1)));
}

TEST(ScalingPlan, TakesTheRanksThatTheUserChose) {
  PlanInput input = scaling_input();
  input.selection.ranks = 3;
  EXPECT_THAT(ranks_and_batches(fake_run(input)), ElementsAre(std::pair(3, 4)));
}

TEST(ScalingPlan, MeasuresAStepOfTheUsersAloneAndOnRanks) {
  PlanInput input = scaling_input();
  input.selection.model =
      ModelSource{.implementation = "make_step-0123456789abcdef", .model = "train.py:make_step"};
  input.selection.model->step = StepMaker{};
  for (const CellSpec& spec : planned(input)) {
    if (spec.ranks) {
      EXPECT_EQ(spec.scheme, Scheme::kOwnStep);
    }
  }
}

TEST(Scaling, ComparesSeveralGpusWithOne) {
  const Part part = report(on_host_with(4));
  EXPECT_THAT(part.answer,
              AllOf(HasSubstr("times as fast on 4 GPUs**"), HasSubstr("an efficiency of 41.3 %"),
                    HasSubstr("Overlapped all-reduces take 303 ms and lose 178 of them")));
}

TEST(Scaling, LosesWhatAddsUpToTheDifference) {
  const labreport::Run run =
      fake_run(scaling_input(), combined(with_fitting_single_step(), on_host_with(2)));
  const auto networks = scaling::scaled_networks(RunView(run, find_edition("2026")));
  ASSERT_EQ(networks.size(), 2u);
  const auto loss = networks.front().loss(2);
  ASSERT_TRUE(loss);
  EXPECT_NEAR(loss->share_ms + loss->lost.ms, *loss->step->ms(), 1e-9);
  EXPECT_GT(loss->optimizer.ms, 0);
  EXPECT_FALSE(networks.front().loss(4));
}

TEST(Scaling, PredictsTwiceAsManyRanksAndSaysHowFarOff) {
  const TableView table = table_of(report(on_host_with(4)), "predictions");
  EXPECT_THAT(texts_in(table, "Ranks"), ElementsAre("4", "8", "4", "8"));
  const std::vector<std::string> errors = texts_in(table, "Error");
  EXPECT_NE(errors[0], "–");
  EXPECT_EQ(errors[1], "–") << "this host has four GPUs";
}

TEST(Scaling, LeavesSkippedRanksOutOfTheTable) {
  const TableView table = table_of(report(on_host_with(2)), "steps");
  EXPECT_THAT(texts_in(table, "Ranks"), AllOf(testing::Contains("2"), Not(testing::Contains("4"))));
}

TEST(Scaling, DoesNotSplitWhatIsNegative) {
  const auto faster = in_scheme(Scheme::kOverlapped, scaled(metric::kStep, metric::kTotal, 0.5));
  EXPECT_THAT(report(combined(on_host_with(2), faster)).answer, Not(HasSubstr("lose")));
}

TEST(Scaling, WritesLossesOnlyToTheFirstDigitOfTheirDeviation) {
  const auto scattered = [](double width_ms) {
    const auto shift = [=](double ns, std::size_t step) {
      return ns + (step % 2 == 0 ? 1e6 : -1e6) * width_ms;
    };
    return in_scheme(Scheme::kNone, each_sample(metric::kStep, metric::kTotal, shift));
  };
  const std::string sentence = ": [0-9]+ to the update of";
  EXPECT_THAT(report(combined(on_host_with(2), scattered(2))).answer, ContainsRegex(sentence));
  EXPECT_THAT(report(combined(on_host_with(2), scattered(0.2))).answer,
              Not(ContainsRegex(sentence)));
}

TEST(Scaling, IsNotAnsweredFromStepsThatVary) {
  const auto uneven = each_sample(metric::kStep, metric::kTotal, [](double ns, std::size_t step) {
    return step % 2 == 0 ? 1.3 * ns : ns;
  });
  EXPECT_EQ(report(combined(on_host_with(2), uneven)).answer,
            "This run does not answer this question.");
}

TEST(Scaling, NeedsOneGpusStep) {
  const auto out_of_memory = where([](const CellSpec& spec) { return !spec.ranks; },
                                   [](const CellSpec&, Launch& launch) {
                                     end_with(launch, OutOfMemory{"backward", 1 << 30, 0, 0});
                                   });
  EXPECT_EQ(report(combined(on_host_with(2), out_of_memory)).answer,
            "This run does not answer this question.");
}

TEST(Scaling, LeavesTheOtherProblemsAsTheyAre) {
  PlanInput parallel = input_for("data_parallel", Preset::kFull, "2026");
  parallel.selection.only.emplace_back("fsdp_accounting");
  PlanInput all = parallel;
  all.selection.only.emplace_back("scaling");
  const labreport::Run run = fake_run(all, on_host_with(4)), alone = fake_run(parallel);
  for (const char* name : {"data_parallel.c", "data_parallel.d", "fsdp_accounting.a"})
    EXPECT_EQ(part_of(run, name).answer, part_of(alone, name).answer) << name;
}

}  // namespace
}  // namespace labreport::scaling_test
