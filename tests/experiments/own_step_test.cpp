// Tests plan and report of a run that measures a training step of the user's.
#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/sample_runs.h"

namespace labreport::own_step_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_samples::fake_run;

PlanInput input_of_step(Preset preset = Preset::kFull, const char* edition = "2025") {
  PlanInput input = testing_samples::plan_input(preset, edition);
  ModelSource source;
  source.implementation = "make_step-0a1b2c3d";
  source.model = "train.py:make_step";
  source.step = StepMaker{.takes_size = true, .takes_context = true};
  input.selection.model = source;
  input.selection.modes = {Mode::kTrainStep};
  return input;
}

/// Adds what hooks see besides the phases of labreport's step: "other", and occurrences.
void add_occurrences(const CellSpec& spec, Launch& launch) {
  if (spec.implementation.empty() || launch.find(metric::kEvent, metric::kLoss) == nullptr) return;
  for (const auto tag : {metric::kEvent, metric::kSynced}) {
    const Metric* loss = launch.find(tag, metric::kLoss);
    if (loss == nullptr) continue;
    Metric other = *loss;
    other.name = metric::kOther;
    launch.metrics.push_back(other);
  }
  launch.metrics.push_back(integer_metric(metric::kOccurrences, metric::kForward, "1", 4));
  launch.metrics.push_back(integer_metric(metric::kOccurrences, metric::kSynchronizations, "1", 1));
}

void hide_phases(const CellSpec& spec, Launch& launch) {
  add_occurrences(spec, launch);
  std::erase_if(launch.metrics, [&](const Metric& metric) {
    const bool is_timed_phase = metric.tag == metric::kEvent || metric.tag == metric::kSynced;
    return !spec.implementation.empty() && is_timed_phase && metric.name != metric::kOther &&
           metric.name != metric::kTotal;
  });
}

const Part& part_of(const Document& document, std::string_view problem, std::size_t number) {
  return std::ranges::find(document.sections, problem, &Section::problem)->parts.at(number);
}

TEST(OwnStep, HasNoCellsOfShorterModes) {
  for (const char* edition : {"2025", "2026"}) {
    std::size_t steps = 0;
    for (const CellSpec& spec : testing_samples::planned(input_of_step(Preset::kFull, edition))) {
      if (spec.implementation.empty() || !spec.mode) continue;
      EXPECT_EQ(spec.mode, Mode::kTrainStep) << cell_id(spec);
      ++steps;
    }
    EXPECT_GT(steps, 10u) << edition;
  }
}

TEST(OwnStep, IsStartedColdInBothEditions) {
  for (const char* edition : {"2025", "2026"}) {
    PlanInput input = input_of_step(Preset::kFull, edition);
    input.selection.only = {"benchmarking_script.c"};
    const auto cells = testing_samples::planned(input, CellKind::kTiming);
    EXPECT_TRUE(std::ranges::any_of(cells, [](const CellSpec& spec) {
      return spec.warmup == 0 && spec.steps == 1;
    })) << edition;
    EXPECT_FALSE(testing_samples::planned(input, CellKind::kKernels).empty()) << edition;
  }
}

PlanInput input_of_ranks(bool beside_labreports) {
  PlanInput input = input_of_step();
  input.selection.only = {"data_parallel"};
  input.selection.ranks = 4;
  input.selection.keeps_labreports_network = beside_labreports;
  return input;
}

TEST(OwnStepOnRanks, IsOneCellBesideTheSchemesOfLabreports) {
  const auto alone = testing_samples::planned(input_of_ranks(false), CellKind::kDataParallel);
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone.front().scheme, Scheme::kOwnStep);
  EXPECT_EQ(alone.front().ranks->count, 4);
  const auto both = testing_samples::planned(input_of_ranks(true), CellKind::kDataParallel);
  EXPECT_EQ(both.size(), 10u);
}

TEST(OwnStepOnRanks, StandsBesideTheSchemesInOneTable) {
  const Part part = testing_samples::part_of(fake_run(input_of_ranks(true)), "data_parallel.e");
  EXPECT_THAT(part.answer, HasSubstr("A step of make\\_step, xl at context 512 in FP32, takes **"));
  EXPECT_THAT(part.answer, HasSubstr("on 4 ranks"));
  EXPECT_THAT(part.answer, HasSubstr("The fastest of labreport's schemes is "));
  const TableView& table = part.tables.front();
  EXPECT_EQ(table.rows.size(), 10u);
  EXPECT_THAT(testing_samples::part_of(fake_run(input_of_ranks(false)), "data_parallel.e").answer,
              Not(HasSubstr("labreport")));
}

/// Writes the collectives of two ranks, the second of which starts 1 ms later.
void record_both_ranks(const CellSpec& spec, Launch& launch) {
  if (spec.scheme != Scheme::kOwnStep) return;
  for (Metric& metric : launch.metrics) {
    if (metric.tag == metric::kAllReduceCalls && metric.name == metric::kCalls)
      metric.data = Scalar(std::int64_t{3});
  }
  Table table = empty_table(metric::kLanes, {column::kRank});
  for (const std::int64_t rank : {0, 1}) {
    const std::int64_t start_ns = rank * 1'000'000;
    const auto add = [&](std::string_view lane, const char* what, std::int64_t after_ns) {
      table.rows.push_back({std::string(lane), what, start_ns + after_ns, std::int64_t{90}, rank});
    };
    add(metric::kCompute, "backward", 0);
    for (const std::int64_t call : {1, 2}) add(metric::kCommunication, "all-gather", 100 * call);
    add(metric::kCommunication, "reduce-scatter", 300);
  }
  launch.tables.back() = std::move(table);
}

TEST(OwnStepOnRanks, ShowsTheLanesOfAllRanksAndKindsOfCollectives) {
  const Part alone = testing_samples::part_of(fake_run(input_of_ranks(false), record_both_ranks),
                                              "data_parallel.e");
  EXPECT_THAT(alone.answer, HasSubstr("communication (2 all-gathers and 1 reduce-scatter) takes"));
  EXPECT_THAT(alone.answer, HasSubstr(" ms** are exposed."));
  const TableView& sums = alone.figures.front().table;
  EXPECT_THAT(testing_samples::texts_in(sums, "Gradients"),
              testing::ElementsAre("rank 0", "rank 0", "rank 0", "rank 1", "rank 1", "rank 1"));
  EXPECT_THAT(testing_samples::texts_in(alone.tables.front(), "Collectives"),
              testing::ElementsAre("2 all-gathers and 1 reduce-scatter"));
  const Part beside = testing_samples::part_of(fake_run(input_of_ranks(true), record_both_ranks),
                                               "data_parallel.e");
  EXPECT_THAT(testing_samples::texts_in(beside.figures.front().table, "Gradients"),
              testing::Contains("make_step, rank 1"));
}

TEST(OwnStepOnRanks, GivesTheReasonInTheRowOfASlowTrace) {
  const auto slow = testing_samples::each_row(
      metric::kRankSteps,
      [](const testing_samples::NamedRow& row) { row.scale(column::kTracedNs, 2); });
  const auto lost = [](const CellSpec&, Launch& launch) {
    launch.warnings = {"the loss is not finite at step 3"};
  };
  const Part part = testing_samples::part_of(
      fake_run(input_of_ranks(false), testing_samples::combined(slow, lost)), "data_parallel.e");
  EXPECT_THAT(testing_samples::lines_of(part.tables.front()).front(),
              HasSubstr("the loss is not finite at step 3, the traced step took 2"));
}

TEST(OwnStepOnRanks, HidesNothingOnACpu) {
  PlanInput input = input_of_step(Preset::kDemo);
  input.selection.only = {"data_parallel"};
  input.selection.ranks = 2;
  const Part part = testing_samples::part_of(fake_run(input), "data_parallel.e");
  EXPECT_THAT(part.answer, Not(HasSubstr("exposed")));
  EXPECT_THAT(testing_samples::texts_in(part.tables.front(), "Overlapped"), testing::IsEmpty());
}

TEST(OwnStepOnRanks, ComesFirstInTheSummary) {
  const Document document = build_document(fake_run(input_of_ranks(true)), false);
  ASSERT_EQ(document.sections.front().problem, "summary");
  EXPECT_THAT(document.sections.front().parts.front().answer,
              testing::StartsWith("- **A step of make\\_step takes "));
}

TEST(OwnStepOnRanks, IsADemonstrationAlsoIfARankCrashed) {
  PlanInput input = input_of_step(Preset::kDemo);
  input.selection.only = {"data_parallel"};
  labreport::Run run = fake_run(input, [](const CellSpec&, Launch& launch) {
    testing_samples::end_with(launch, Crashed{6, "", 1});
  });
  run.devices.clear();
  for (Cell& cell : run.cells) {
    for (Launch& launch : cell.launches) launch.device.reset();
  }
  EXPECT_TRUE(build_document(run, false).demonstration);
}

TEST(OwnStepOnRanks, AreReproducedWithTheBatchAndVocabularyOfADemonstration) {
  PlanInput input = input_of_step(Preset::kDemo);
  input.selection.only = {"data_parallel"};
  input.selection.batch = 8;
  labreport::Run run = fake_run(input);
  run.sessions.front().request.batch = "8";
  run.sessions.front().request.vocab = "300";
  const Part part = testing_samples::part_of(run, "data_parallel.e");
  EXPECT_THAT(testing_samples::lines_of(testing_samples::table_of(part, "commands")).front(),
              testing::AllOf(HasSubstr("--batch 8"), HasSubstr("--vocab 300")));
}

TEST(OwnStepOnRanks, SaysThatRanksDiverge) {
  const auto diverging = [](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.name == metric::kDivergedRanks) metric.data = Scalar(std::int64_t{1});
    }
  };
  const Part part =
      testing_samples::part_of(fake_run(input_of_ranks(false), diverging), "data_parallel.e");
  EXPECT_THAT(testing_samples::lines_of(part.tables.front()).front(),
              HasSubstr("ranks hold different weights after the last step"));
}

TEST(OwnStep, HasPhasesThatOccurSeveralTimes) {
  const Document document = build_document(fake_run(input_of_step(), add_occurrences), false);
  const Part& durations = part_of(document, "benchmarking_script", 1);
  EXPECT_THAT(durations.answer, HasSubstr("A training step takes **"));
  EXPECT_THAT(durations.answer, HasSubstr("'s, backward takes "));
  EXPECT_THAT(durations.answer, HasSubstr(" % and all else "));
  EXPECT_THAT(durations.answer, Not(HasSubstr("The forward pass takes")));
  EXPECT_THAT(document.method, HasSubstr("The training step is what train.py:make\\_step makes"));
  EXPECT_THAT(document.method, Not(HasSubstr("Autocast** wraps")));
}

TEST(OwnStep, HasAWordForUnknownPhases) {
  const Document document = build_document(fake_run(input_of_step(), hide_phases), false);
  EXPECT_THAT(part_of(document, "benchmarking_script", 1).answer,
              HasSubstr("Its phases are unknown, because hooks do not see into compiled"));
}

}  // namespace
}  // namespace labreport::own_step_test
