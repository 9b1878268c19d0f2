// Tests the sharded optimizer: its plan, and the runs in which each sentence appears.
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

std::vector<std::string> planned_ids(const PlanInput& input) {
  std::vector<std::string> ids;
  for (const CellSpec& spec : planned(input)) ids.push_back(cell_id(spec));
  return ids;
}

Part part(const std::string& letter, const Change& change = unchanged,
          Preset preset = Preset::kFull) {
  return part_of(fake_run(input_for(kProblem, preset), change),
                 std::string(kProblem) + "." + letter);
}

std::string answer(const std::string& letter, const Change& change = unchanged) {
  return part(letter, change).answer;
}

Change with_sharded_optimizer(Change change) {
  return where([](const CellSpec& spec) { return spec.sharding == Sharding::kOptimizer; },
               std::move(change));
}

void on_one_gpu(const CellSpec&, Launch& launch) {
  end_with(launch, Skipped{"this host has 1 GPU"});
}

TEST(ShardedOptimizerPlan, TrainsXlOnTwoGpusWithAndWithoutSharding) {
  EXPECT_THAT(planned_ids(input_for(kProblem)),
              ElementsAre("sharding.cuda.d1600-f6400-l48-h25-v10000.nccl.r2.none.b2.c512.fp32."
                          "train_step.w5.n10",
                          "sharding.cuda.d1600-f6400-l48-h25-v10000.nccl.r2.optimizer.b2.c512."
                          "fp32.train_step.w5.n10"));
  EXPECT_THAT(planned_ids(input_for(kProblem, Preset::kDemo)).front(),
              HasSubstr("sharding.cpu.d192"));
  EXPECT_THAT(planned_ids(input_for(kProblem, Preset::kDemo)).front(), HasSubstr(".gloo.r2."));
}

TEST(ShardedOptimizerMemory, HasNoPeaksOnOneGpu) {
  EXPECT_EQ(answer("a", on_one_gpu), "This run does not answer this question.");
  EXPECT_THAT(answer("c", on_one_gpu), HasSubstr("**$3 \\Psi"));
}

TEST(ShardedOptimizerMemory, LeavesOutAPointWithoutItsPeak) {
  const auto remove_peak = [](const NamedRow& row) { row[column::kPeakBytes] = Scalar(); };
  EXPECT_THAT(answer("a", with_sharded_optimizer(each_row(metric::kHeld, remove_peak))),
              HasSubstr("does not answer"));
}

TEST(ShardedOptimizerMemory, HoldsActivationsBeforeGradientsIfPeaksAgreeWithTheirFormulas) {
  const auto activations_first = HasSubstr("before the optimizer step also activations");
  EXPECT_THAT(answer("a"), activations_first);
  const auto raise_peak = [](const NamedRow& row) { row.scale(column::kPeakBytes, 1.1); };
  EXPECT_THAT(answer("a", with_sharded_optimizer(each_row(metric::kHeld, raise_peak))),
              Not(activations_first));
}

TEST(ShardedOptimizerMemory, TellsTheStateIfItExplainsWhatIsSaved) {
  const auto sharded_allocates = [](double factor) {
    return with_sharded_optimizer(each_row(
        metric::kHeld, [=](const NamedRow& row) { row.scale(column::kAllocatedBytes, factor); }));
  };
  const auto state = HasSubstr("sharding saves other ranks' state, **7.44 GiB**");
  EXPECT_THAT(answer("a"), state);
  EXPECT_THAT(answer("a", sharded_allocates(0.99)), state);
  EXPECT_THAT(answer("a", sharded_allocates(0.9)), Not(HasSubstr("sharding saves")));
}

TEST(ShardedOptimizerFigure, ShowsTheGradientsOfEachPeakNotOfItsPoint) {
  const TableView table = part("a").figures.front().table;
  EXPECT_THAT(
      texts_in(table, "Gradients in the peak"),
      ElementsAre("0.00", "0.18", "7.44", "0.18", "7.44", "0.00", "0.18", "7.44", "0.18", "7.44"));
}

TEST(ShardedOptimizerFigure, DrawsThePeaksOnBothSidesOfTheOptimizerStep) {
  const Part shown = part("a");
  std::vector<std::string> drawn;
  for (const auto& row : shown.figures.front().spec["data"]["values"]) {
    const std::string name = row["row"];
    if (drawn.empty() || drawn.back() != name) drawn.push_back(name);
  }
  EXPECT_THAT(drawn, ElementsAre("whole, before", "whole, after", "sharded AdamW, before",
                                 "sharded AdamW, after"));
}

TEST(ShardedOptimizerMemory, HasNoRestIfThePartsExceedTheirSum) {
  const auto shrink = [](const NamedRow& row) { row[column::kAllocatedBytes] = std::int64_t{1}; };
  const Part changed = part("a", with_sharded_optimizer(each_row(metric::kHeld, shrink)));
  EXPECT_THAT(texts_in(table_of(changed, "points"), "Activations and the rest"),
              AllOf(testing::Contains(HasSubstr("–")), testing::Each(Not(HasSubstr("−")))));
}

TEST(ShardedOptimizerChart, HasTheUnitOfItsHighestPeak) {
  const auto chart = [](Preset preset) {
    return part("a", unchanged, preset).figures.front().spec.dump();
  };
  EXPECT_THAT(chart(Preset::kFull),
              AllOf(HasSubstr("\"unit\":\"GiB\""), Not(HasSubstr("\"unit\":\"MiB\""))));
  EXPECT_THAT(chart(Preset::kDemo), HasSubstr("\"unit\":\"MiB\""));
}

TEST(ShardedOptimizerTime, NamesLossesThatDiffer) {
  EXPECT_THAT(part("b", with_sharded_optimizer(with_losses({9.2, 9.3}))).details.findings,
              HasSubstr("The losses of xl in FP32 differ by 1.1 %"));
}

TEST(ShardedOptimizerMemory, AgreesWithTheFormulasAtEveryPoint) {
  const TableView table = table_of(part("a"), "points");
  EXPECT_EQ(table.rows.size(), 10u) << "five points a scheme, of the rank that peaks highest";
  EXPECT_EQ(texts_in(table, "Allocated there"), texts_in(table, "Formula"));
}

TEST(ShardedOptimizerTimes, TellTheTimeOfTheSameTrainingInDataParallel) {
  const auto without_sharding = [](double averaging_step_ns, double exchange_ns) {
    PlanInput input = input_for(kProblem);
    input.selection.only.emplace_back("data_parallel.a");
    const auto constant = [](std::string_view tag, std::string_view name, double ns) {
      return each_sample(tag, name, [=](double, std::size_t) { return ns; });
    };
    const Change change =
        combined(combined(constant(metric::kStep, metric::kTotal, 711e6),
                          constant(metric::kSynced, metric::kAllReduce, 60e6)),
                 where([](const CellSpec& spec) { return spec.kind == CellKind::kDataParallel; },
                       combined(constant(metric::kStep, metric::kTotal, averaging_step_ns),
                                constant(metric::kEvent, metric::kExchange, exchange_ns))));
    const Part times = part_of(fake_run(input, change), std::string(kProblem) + ".b");
    return lines_of(table_of(times, "times")).front();
  };
  const auto reason = HasSubstr(" ms: NCCL averages there, a pass of its own divides here");
  EXPECT_THAT(without_sharding(704e6, 53e6), AllOf(HasSubstr("in data_parallel 704 ms"), reason));
  EXPECT_THAT(without_sharding(704e6, 60e6),
              AllOf(HasSubstr("in data_parallel 704 ms"), Not(reason)))
      << "its all-reduces take as long";
  EXPECT_THAT(without_sharding(711e6, 53e6), Not(HasSubstr("data_parallel")));
}

}  // namespace
}  // namespace labreport::sharding_test
