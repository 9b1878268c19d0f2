// Tests plan and report of a run that measures labreport's network and a model of the user's.
#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/sample_runs.h"

namespace labreport::both_models_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_samples::fake_run;

constexpr const char* kNet = "Net-0a1b2c3d";

PlanInput input_of_both(Preset preset = Preset::kQuick) {
  PlanInput input = testing_samples::plan_input(preset);
  input.selection.model = ModelSource{kNet, "net.py:Net", "", "", ""};
  input.selection.keeps_labreports_network = true;
  return input;
}

std::vector<PlannedCell> planned_cells(const PlanInput& input) { return plan_cells(input, Run()); }

std::vector<std::string> sorted_ids(const std::vector<PlannedCell>& cells) {
  std::vector<std::string> ids;
  for (const PlannedCell& cell : cells) ids.push_back(cell_id(cell.spec));
  std::ranges::sort(ids);
  return ids;
}

PlanInput input_of_one(PlanInput input, bool users_model) {
  input.selection.keeps_labreports_network = false;
  if (!users_model) input.selection.model.reset();
  return input;
}

TEST(BothModels, HaveTheCellsOfEachAloneWithoutDuplicates) {
  std::vector<std::string> apart = sorted_ids(planned_cells(input_of_one(input_of_both(), true)));
  std::ranges::copy(sorted_ids(planned_cells(input_of_one(input_of_both(), false))),
                    std::back_inserter(apart));
  std::ranges::sort(apart);
  apart.erase(std::unique(apart.begin(), apart.end()), apart.end());
  EXPECT_EQ(sorted_ids(planned_cells(input_of_both())), apart);
}

TEST(BothModels, TakeTurns) {
  std::vector<std::string> implementations;
  for (const PlannedCell& cell : planned_cells(input_of_both())) {
    if (cell.spec.kind == CellKind::kTiming) implementations.push_back(cell.spec.implementation);
  }
  ASSERT_GE(implementations.size(), 8u);
  for (std::size_t i = 0; i + 1 < implementations.size(); i += 2) {
    EXPECT_NE(implementations[i], implementations[i + 1]) << i;
  }
}

TEST(BothModels, KeepTheirOwnPlansIfOneRunsOutOfMemory) {
  const auto no_room = [](const CellSpec& spec, Launch& launch) {
    if (!spec.implementation.empty() && spec.mode == Mode::kTrainStep) {
      testing_samples::end_with(launch, OutOfMemory{"backward", 1, 1, 1});
    }
  };
  const labreport::Run run = fake_run(input_of_both(Preset::kFull), no_room);
  const labreport::Run alone = fake_run(input_of_one(input_of_both(Preset::kFull), false));
  for (const Cell& cell : alone.cells) EXPECT_NE(run.find(cell.id), nullptr) << cell.id;
  EXPECT_EQ(without_users_model(run).cells.size(), alone.cells.size());
}

const Section* comparison_section(const Document& document) {
  const auto found = std::ranges::find(document.sections, "beside", &Section::problem);
  return found == document.sections.end() ? nullptr : &*found;
}

TEST(BothModels, HaveAReportOfTheUsersModelAndAComparison) {
  const Document with = build_document(fake_run(input_of_both()), false);
  const Document alone = build_document(fake_run(input_of_one(input_of_both(), true)), false);
  ASSERT_NE(comparison_section(with), nullptr);
  EXPECT_EQ(comparison_section(alone), nullptr);
  ASSERT_EQ(with.sections.size(), alone.sections.size() + 1);
  for (const Section& section : alone.sections) {
    const auto same = std::ranges::find(with.sections, section.problem, &Section::problem);
    for (std::size_t i = 0; i < section.parts.size(); ++i) {
      EXPECT_EQ(same->parts[i].answer, section.parts[i].answer) << section.parts[i].name();
      EXPECT_EQ(same->parts[i].tables.size(), section.parts[i].tables.size());
    }
  }
  EXPECT_THAT(with.title, HasSubstr(kNet));
  EXPECT_THAT(with.reproduce, HasSubstr("MODEL=net.py:Net"));
  EXPECT_THAT(with.reproduce, HasSubstr("AND=labreport"));
}

TEST(BothModels, RepeatTheRequestedSizesInTheCommand) {
  labreport::Run run = fake_run(input_of_both());
  EXPECT_THAT(build_document(run, false).reproduce, Not(HasSubstr("SIZES=")));
  run.sessions.front().request = {.sizes = "small,large", .contexts = "512"};
  const Document document = build_document(run, false);
  EXPECT_THAT(document.reproduce, HasSubstr(" SIZES=small,large CONTEXTS=512"));
}

/// The user's times are 1.5 times as long, and attention has twice the kernels and kernel time.
void double_attention(const CellSpec& spec, Launch& launch) {
  if (spec.implementation.empty()) return;
  for (Metric& metric : launch.metrics) {
    auto* samples = std::get_if<Samples>(&metric.data);
    if (samples == nullptr || metric.unit != "ns") continue;
    for (auto& ns : std::get<std::vector<std::int64_t>>(*samples)) ns = ns * 3 / 2;
  }
  for (Table& table : launch.tables) {
    if (table.name != metric::kKernels) continue;
    for (auto& row : table.rows) {
      const testing_samples::NamedRow named(table, row);
      if (!named.has(column::kModule, "attn")) continue;
      for (const auto name : {column::kInstances, column::kTotalNs}) named.scale(name, 2);
    }
  }
}

/// The user's forward pass takes 1.5 times as long, and everything else half as long.
void slow_forward(const CellSpec& spec, Launch& launch) {
  if (spec.implementation.empty()) return;
  for (Metric& metric : launch.metrics) {
    auto* samples = std::get_if<Samples>(&metric.data);
    if (samples == nullptr || metric.unit != "ns") continue;
    const bool forward = metric.name == metric::kForward;
    for (auto& ns : std::get<std::vector<std::int64_t>>(*samples))
      ns = forward ? ns * 3 / 2 : ns / 2;
  }
}

TEST(BothModels, NameASlowerPassOfAFasterStep) {
  const Document document = build_document(fake_run(input_of_both(), slow_forward), false);
  EXPECT_THAT(comparison_section(document)->parts.at(0).answer,
              HasSubstr("the forward pass of " + std::string(kNet) +
                        " nevertheless takes **1.50×** as long as labreport’s."));
  const Document slower = build_document(fake_run(input_of_both(), double_attention), false);
  EXPECT_THAT(comparison_section(slower)->parts.at(0).answer, Not(HasSubstr("nevertheless")));
}

TEST(BothModels, AreComparedByStepsAndPlaces) {
  const Document document = build_document(fake_run(input_of_both(), double_attention), false);
  const Part& part = comparison_section(document)->parts.at(0);
  EXPECT_THAT(part.answer,
              HasSubstr("labreport’s network takes **3,056 ms** for medium's FP32 training step"));
  EXPECT_THAT(part.answer, HasSubstr("takes **1.50×** as long as labreport’s for small in FP32"));
  EXPECT_THAT(part.answer, HasSubstr("pass of attention"));
  EXPECT_THAT(part.answer, HasSubstr("kernels a layer"));
  ASSERT_GE(part.tables.size(), 2u);
  EXPECT_EQ(part.tables[0].slug, "steps");
  EXPECT_EQ(testing_samples::texts_in(part.tables[0], "Step").at(0), "1.50");
  EXPECT_THAT(part.tables[1].slug, HasSubstr("places"));
}

/// The user's unprofiled steps take 1.5 times as long.
void slow_unprofiled_steps(const CellSpec& spec, Launch& launch) {
  if (spec.implementation.empty()) return;
  for (Metric& metric : launch.metrics) {
    auto* samples = std::get_if<Samples>(&metric.data);
    if (samples == nullptr || metric.tag != metric::kStep || metric.unit != "ns") continue;
    for (auto& ns : std::get<std::vector<std::int64_t>>(*samples)) ns = ns * 3 / 2;
  }
}

TEST(BothModels, BlameTheCpuForALongerStepOfEqualKernels) {
  const auto slow_steps = slow_unprofiled_steps;
  const auto cpu = HasSubstr("so the CPU makes it longer");
  const Document slow = build_document(fake_run(input_of_both(), slow_steps), false);
  EXPECT_THAT(comparison_section(slow)->parts.at(0).answer, cpu);
  const Document equal = build_document(fake_run(input_of_both()), false);
  EXPECT_THAT(comparison_section(equal)->parts.at(0).answer, Not(cpu));
}

TEST(BothModels, DifferOnlyIfAllTimesOfAStepDo) {
  const auto slow_timing = [](const CellSpec& spec, Launch& launch) {
    if (spec.kind == CellKind::kTiming) slow_unprofiled_steps(spec, launch);
  };
  const Document document = build_document(fake_run(input_of_both(), slow_timing), false);
  const Part& part = comparison_section(document)->parts.at(0);
  EXPECT_THAT(part.answer, HasSubstr("their ranges overlap, so this run shows no difference"))
      << "the unprofiled steps of the profile are as fast as labreport's";
  EXPECT_THAT(part.answer, HasSubstr("For small in FP32 the ranges of their times overlap"));
  EXPECT_THAT(part.answer, Not(HasSubstr("CPU makes it longer")));
  EXPECT_THAT(testing_samples::lines_of(part.tables[0]),
              testing::Contains(HasSubstr("ranges overlap")));
  const Document slow = build_document(fake_run(input_of_both(), slow_unprofiled_steps), false);
  EXPECT_THAT(comparison_section(slow)->parts.at(0).answer, Not(HasSubstr("overlap")));
}

TEST(BothModels, HaveOneRatioOfPeaksInBothTables) {
  const auto change = [](const CellSpec& spec, Launch& launch) {
    if (spec.kind == CellKind::kTiming)
      launch.metrics.push_back(integer_metric(metric::kMemory, metric::kPeakAllocated, "B", 1));
    if (spec.kind == CellKind::kMemory && !spec.implementation.empty())
      testing_samples::scaled(metric::kMemory, metric::kPeakAllocated, 2)(spec, launch);
  };
  const Document document = build_document(fake_run(input_of_both(), change), false);
  EXPECT_THAT(
      testing_samples::texts_in(comparison_section(document)->parts.at(0).tables[0], "Peak memory"),
      testing::Contains("2.00"));
}

TEST(BothModels, AreCalledEqualIfTheyDoNotDiffer) {
  const Document document = build_document(fake_run(input_of_both()), false);
  const Part& part = comparison_section(document)->parts.at(0);
  EXPECT_THAT(part.answer, HasSubstr("to within a per cent"));
  EXPECT_THAT(part.answer, testing::Not(HasSubstr("largest difference")));
}

}  // namespace
}  // namespace labreport::both_models_test
