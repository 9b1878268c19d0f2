// What the problem of a sharded optimizer plans, and what it says of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/optimizer_state_sharding_accounting/schemes.h"
#include "experiments/sample_runs.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_samples::Change;
using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::only;
using testing_samples::part_of;

constexpr const char* kProblem = "optimizer_state_sharding_accounting";

std::vector<std::string> ids(const PlanInput& input) {
  std::vector<std::string> found;
  for (const CellSpec& spec : testing_samples::planned(input)) found.push_back(cell_id(spec));
  return found;
}

std::string answer(const std::string& letter, const Change& change = testing_samples::as_it_is,
                   const char* edition = "2025") {
  const auto run = measured(only(kProblem, Preset::kFull, edition), change);
  return part_of(run, std::string(kProblem) + "." + letter).answer;
}

bool shares_state(const CellSpec& spec) { return spec.sharding == Sharding::kOptimizer; }

/// One column of the table of points, of one scheme and step, multiplied.
Change points(Sharding sharding, std::int64_t step, std::string_view column, double factor) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.sharding != sharding) return;
    Table& table = launch.tables.front();
    const auto at = static_cast<std::size_t>(
        std::ranges::find(table.columns, column, &TableColumn::name) - table.columns.begin());
    for (auto& row : table.rows) {
      if (std::get<std::int64_t>(row[1]) != step) continue;
      row[at] =
          static_cast<std::int64_t>(factor * static_cast<double>(std::get<std::int64_t>(row[at])));
    }
  };
}

/// The step, or a phase of it, multiplied.
Change times(std::string_view tag, std::string_view name, double factor) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (!shares_state(spec)) return;
    for (Metric& metric : launch.metrics) {
      if (metric.tag != tag || metric.name != name) continue;
      std::vector<std::int64_t> samples;
      for (const double sample : metric.numbers()) {
        samples.push_back(static_cast<std::int64_t>(factor * sample));
      }
      metric = sample_metric(metric.tag, metric.name, metric.unit, samples);
    }
  };
}

void on_one_gpu(const CellSpec&, Launch& launch) {
  end_with(launch, Skipped{"this host has 1 GPU"});
}

TEST(ShardedOptimizerPlan, IsXlWithAndWithoutOnTwoGpus) {
  EXPECT_THAT(ids(only(kProblem)),
              ElementsAre("sharding.cuda.d1600-f6400-l48-h25-v10000.nccl.r2.none.b2.c512.fp32."
                          "train_step.w5.n10",
                          "sharding.cuda.d1600-f6400-l48-h25-v10000.nccl.r2.optimizer.b2.c512."
                          "fp32.train_step.w5.n10"));
  EXPECT_THAT(ids(only(kProblem, Preset::kDemo)).front(), HasSubstr("sharding.cpu.d192"));
  EXPECT_THAT(ids(only(kProblem, Preset::kDemo)).front(), HasSubstr(".gloo.r2."));
}

TEST(ShardedOptimizerPlan, IsNoPartOfARunThatDoesNotAskForIt) {
  for (const CellSpec& spec :
       testing_samples::planned(testing_samples::plan_input(Preset::kFull))) {
    EXPECT_NE(spec.kind, CellKind::kSharding);
  }
}

TEST(ShardedOptimizerPlan, TakesNoUsersModelAndNothingButTrainingSteps) {
  PlanInput input = only(kProblem);
  input.selection.modes = {Mode::kForward};
  EXPECT_THAT(ids(input), testing::IsEmpty());
}

TEST(ShardedOptimizerMemory, SavesTheStateThatOthersHold) {
  EXPECT_THAT(
      answer("a"),
      AllOf(HasSubstr("because a rank keeps 7.44 GiB of AdamW's state instead of 14.89 "
                      "GiB; parameters (7.44 GiB) and gradients (7.44 GiB) stay whole"),
            HasSubstr(
                "After model init they are 7.44 GiB either way, before the *first* step 21.22 GiB "
                "either way, because AdamW makes its state at its first step"),
            HasSubstr("the peaks are 36.11 GiB and 28.67 GiB.")));
}

TEST(ShardedOptimizerMemory, GivesNoReasonThatThePeaksDoNotBearOut) {
  const std::string higher = answer("a", points(Sharding::kOptimizer, 5, column::kPeakBytes, 2));
  EXPECT_THAT(higher, AllOf(Not(HasSubstr("because a rank keeps")), Not(HasSubstr("lower"))));
  const std::string first = answer("a", points(Sharding::kOptimizer, 1, column::kPeakBytes, 2));
  EXPECT_THAT(first, Not(HasSubstr("because AdamW makes")));
  EXPECT_THAT(first, HasSubstr("step 21.22 GiB and 42.45 GiB"));
  const std::string near = answer("a", points(Sharding::kOptimizer, 1, column::kPeakBytes, 1.005));
  EXPECT_THAT(near, HasSubstr("21.22 GiB and 21.33 GiB: alike, because AdamW"));
}

TEST(ShardedOptimizerMemory, OfOneGpuSaysWhatTheHostLacks) {
  EXPECT_THAT(
      answer("a", on_one_gpu),
      AllOf(HasSubstr("No rank trained both ways"),
            HasSubstr("xl in FP32, optimizer state sharded: skipped: this host has 1 GPU")));
  EXPECT_THAT(answer("c", on_one_gpu), HasSubstr("**$3 \\Psi$** in all"));
}

TEST(ShardedOptimizerTime, IsExplainedByBroadcastAndOwnStep) {
  EXPECT_THAT(
      answer("b"),
      AllOf(HasSubstr("shorter than without, because in steps that synchronize after each phase "
                      "broadcasting"),
            HasSubstr("on a rank's own parameters instead of")));
}

TEST(ShardedOptimizerTime, IsNotWhereThePhasesGoTheOtherWay) {
  EXPECT_THAT(answer("b", times(metric::kStep, metric::kTotal, 2)),
              AllOf(HasSubstr("without. In steps that synchronize after each phase broadcasting"),
                    Not(HasSubstr("because in steps"))));
}

/// One phase of one step a hundred times as long, as where something else runs beside it.
TEST(ShardedOptimizerTime, TakesMediansOfPhases) {
  const auto one_slow = [](const CellSpec& spec, Launch& launch) {
    if (!shares_state(spec)) return;
    for (Metric& metric : launch.metrics) {
      if (metric.tag != metric::kSynced || metric.name != metric::kBroadcast) continue;
      std::get<std::vector<std::int64_t>>(std::get<Samples>(metric.data)).front() *= 100;
    }
  };
  EXPECT_THAT(answer("b", one_slow), HasSubstr("the parameters takes 13.3"));
}

TEST(ShardedOptimizerTime, IsNotExplainedWithoutEachPhase) {
  const auto without = [](const CellSpec&, Launch& launch) {
    std::erase_if(launch.metrics, [](const Metric& metric) {
      return metric.tag == metric::kSynced && metric.name == metric::kBroadcast;
    });
  };
  EXPECT_THAT(answer("b", without),
              AllOf(HasSubstr("a step takes"), Not(HasSubstr("broadcasting"))));
}

TEST(ShardedOptimizerMemory, LeavesOutAPointWithoutItsPeak) {
  const auto without = [](const CellSpec& spec, Launch& launch) {
    if (spec.sharding != Sharding::kOptimizer) return;
    for (auto& row : launch.tables.front().rows) row[4] = Scalar();
  };
  EXPECT_THAT(answer("a", without), Not(HasSubstr("lower")));
}

TEST(ShardedOptimizerChart, HasTheUnitOfItsHighestPeak) {
  const auto chart = [](Preset preset) {
    const auto run = measured(only(kProblem, preset));
    const Part part = part_of(run, std::string(kProblem) + ".a");
    return part.figures.front().spec.dump();
  };
  EXPECT_THAT(chart(Preset::kFull),
              AllOf(HasSubstr("\"unit\":\"GiB\""), Not(HasSubstr("\"unit\":\"MiB\"")),
                    HasSubstr("the rest")));
  EXPECT_THAT(chart(Preset::kDemo),
              AllOf(HasSubstr("\"unit\":\"MiB\""), Not(HasSubstr("\"unit\":\"GiB\""))));
}

TEST(ShardedOptimizerTime, NamesLossesThatDiffer) {
  const auto other = [](const CellSpec& spec, Launch& launch) {
    if (!shares_state(spec)) return;
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kLosses) metric.data = Samples(std::vector<double>{9.2, 9.3});
    }
  };
  EXPECT_THAT(answer("b", other), HasSubstr("The losses of xl in FP32 differ by 1.1 %"));
  EXPECT_THAT(answer("b"), Not(HasSubstr("losses")));
}

TEST(ShardedOptimizerBesideZero1, SendsHalfMore) {
  EXPECT_THAT(answer("c"), AllOf(HasSubstr("sends 11.17 GiB a step, with ZeRO-1 7.44 GiB"),
                                 HasSubstr("owns 50.0 % of the parameters")));
}

TEST(ShardedOptimizerStages, KeepBothMeaningsOfBefore) {
  using namespace optimizer_state_sharding_accounting;
  const auto run = measured(only(kProblem));
  const RunView view(run, find_edition("2025"));
  const Trained network = trained_networks(view, Sharding::kOptimizer).front();
  const ShardingScheme* plain = network.find(Sharding::kNone);
  ASSERT_EQ(plain->stages.size(), 5u) << "one row a point, of the rank that peaks highest";
  const Stage* first = plain->stage(When::kFirstStep, metric::kBeforeOptimizer);
  const Stage* later = plain->stage(When::kLaterStep, metric::kBeforeOptimizer);
  EXPECT_EQ(first->point.optimizer, 0);
  EXPECT_GT(later->point.peak, first->point.peak);
  EXPECT_EQ(plain->expected_allocated(*first), first->point.allocated);
  EXPECT_EQ(plain->expected_allocated(*later), later->point.allocated);
  EXPECT_NEAR(*plain->expected_peak(*later) / later->point.peak, 1, 1e-6);
  EXPECT_EQ(later->high_water, later->point.peak) << "begins anew";
  EXPECT_EQ(first->high_water, first->point.peak);
}

}  // namespace
}  // namespace labreport
