// The sharded optimizer: its plan, and its sentences where they hold and where not.
#include <gmock/gmock.h>

#include "experiments/sample_runs.h"

namespace labreport::sharding_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

constexpr const char* kProblem = "optimizer_state_sharding_accounting";

std::vector<std::string> ids(const PlanInput& input) {
  std::vector<std::string> found;
  for (const CellSpec& spec : planned(input)) found.push_back(cell_id(spec));
  return found;
}

Part part(const std::string& letter, const Change& change = as_it_is,
          Preset preset = Preset::kFull) {
  return part_of(measured(only(kProblem, preset), change), std::string(kProblem) + "." + letter);
}

std::string answer(const std::string& letter, const Change& change = as_it_is) {
  return part(letter, change).answer;
}

Change of_sharded(Change change) {
  return where([](const CellSpec& spec) { return spec.sharding == Sharding::kOptimizer; },
               std::move(change));
}

/// The peaks of one step, of ranks that share the state, multiplied.
Change peaks(std::int64_t step, double factor) {
  return of_sharded(each_row(metric::kHeld, [=](const NamedRow& row) {
    if (row.number(column::kStepNumber) == step) row.scale(column::kPeakBytes, factor);
  }));
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
  const std::string higher = answer("a", peaks(5, 2));
  EXPECT_THAT(higher, AllOf(Not(HasSubstr("because a rank keeps")), Not(HasSubstr("lower"))));
  const std::string first = answer("a", peaks(1, 2));
  EXPECT_THAT(first, Not(HasSubstr("because AdamW makes")));
  EXPECT_THAT(first, HasSubstr("step 21.22 GiB and 42.45 GiB"));
  const std::string near = answer("a", peaks(1, 1.005));
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

TEST(ShardedOptimizerTime, IsNotWhereThePhasesGoTheOtherWayOrOneIsUnknown) {
  EXPECT_THAT(answer("b", of_sharded(scaled(metric::kStep, metric::kTotal, 2))),
              AllOf(HasSubstr("without. In steps that synchronize after each phase broadcasting"),
                    Not(HasSubstr("because in steps"))));
  EXPECT_THAT(answer("b", without(metric::kSynced, metric::kBroadcast)),
              AllOf(HasSubstr("a step takes"), Not(HasSubstr("broadcasting"))));
}

/// One phase of one step a hundred times as long, as where something else runs beside it.
TEST(ShardedOptimizerTime, TakesMediansOfPhases) {
  const auto one_slow =
      each_sample(metric::kSynced, metric::kBroadcast,
                  [](double ns, std::size_t step) { return step == 0 ? 100 * ns : ns; });
  EXPECT_THAT(answer("b", of_sharded(one_slow)), HasSubstr("the parameters takes 13.3"));
}

TEST(ShardedOptimizerMemory, LeavesOutAPointWithoutItsPeak) {
  const auto unknown = [](const NamedRow& row) { row[column::kPeakBytes] = Scalar(); };
  EXPECT_THAT(answer("a", of_sharded(each_row(metric::kHeld, unknown))), Not(HasSubstr("lower")));
}

TEST(ShardedOptimizerChart, HasTheUnitOfItsHighestPeak) {
  const auto chart = [](Preset preset) {
    return part("a", as_it_is, preset).figures.front().spec.dump();
  };
  EXPECT_THAT(chart(Preset::kFull),
              AllOf(HasSubstr("\"unit\":\"GiB\""), Not(HasSubstr("\"unit\":\"MiB\""))));
  EXPECT_THAT(chart(Preset::kDemo), HasSubstr("\"unit\":\"MiB\""));
}

TEST(ShardedOptimizerTime, NamesLossesThatDiffer) {
  EXPECT_THAT(answer("b", of_sharded(losses({9.2, 9.3}))),
              HasSubstr("The losses of xl in FP32 differ by 1.1 %"));
  EXPECT_THAT(answer("b"), Not(HasSubstr("losses")));
}

TEST(ShardedOptimizerMemory, IsAtEveryPointWhatTheFormulasSay) {
  const TableView table = table_of(part("a"), "points");
  EXPECT_EQ(table.rows.size(), 10u) << "five points a scheme, of the rank that peaks highest";
  EXPECT_EQ(texts_in(table, "Allocated there"), texts_in(table, "Formula"));
}

TEST(ShardedOptimizerBesideZero1, SendsHalfMore) {
  EXPECT_THAT(answer("c"), AllOf(HasSubstr("sends 11.17 GiB a step, with ZeRO-1 7.44 GiB"),
                                 HasSubstr("owns 50.0 % of the parameters")));
}

}  // namespace
}  // namespace labreport::sharding_test
