// Tests the number of cells that is predicted before a run begins.
#include <gmock/gmock.h>

#include <algorithm>

#include "cli/measure_flags.h"
#include "cli/plan_table.h"
#include "experiments/catalog.h"
#include "results/shipped_runs.h"

namespace labreport::foreseen_plan_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAreArray;

PlanInput full_plan_input(const std::string& edition) {
  PlanInput input;
  input.edition = find_edition(edition);
  return input;
}

DeviceChoice device_with_memory(std::int64_t memory_bytes) {
  DeviceChoice choice;
  choice.gpus.emplace_back().memory_bytes = memory_bytes;
  return choice;
}

std::vector<std::string> ids_of(const std::vector<PlannedCell>& cells) {
  std::vector<std::string> ids;
  for (const PlannedCell& cell : cells) ids.push_back(cell_id(cell.spec));
  return ids;
}

std::vector<std::string> first_plan(const PlanInput& input) {
  return ids_of(plan_cells(input, Run()));
}

std::vector<std::string> foreseen_ids(const PlanInput& input, const DeviceChoice& choice) {
  return ids_of(foreseen_plan(input, plan_cells(input, Run()), choice));
}

TEST(AllProblems, IncludeMultiGpuProblemsOnlyWithSeveralGpus) {
  constexpr const char* kProblemOfSeveralGpus = "distributed_communication_single_node";
  Request flags;
  flags.problems = "all";
  DeviceChoice choice = device_with_memory(1LL << 36);
  choice.kind = DeviceKind::kCuda;
  choice.preset = Preset::kFull;
  EXPECT_THAT(plan_input(flags, choice).selection.only, Not(Contains(kProblemOfSeveralGpus)));
  flags.problems = kProblemOfSeveralGpus;
  EXPECT_THAT(plan_input(flags, choice).selection.only, ElementsAre(kProblemOfSeveralGpus))
      << "asked for";
  flags.problems = "all";
  choice.rank_only_gpus.emplace_back();
  EXPECT_THAT(plan_input(flags, choice).selection.only, Contains(kProblemOfSeveralGpus));
}

TEST(ForeseenPlan, EqualsTheMeasuredCells) {
  for (const auto& [gpu, edition] : {std::pair{"nvidia-h200", "2026"},
                                     {"nvidia-h200", "2025"},
                                     {"nvidia-h100-80gb-hbm3", "2025"}}) {
    const auto run = testing_shipped::full_run(std::string(gpu) + "/" + edition);
    if (!run) GTEST_SKIP() << gpu << ", " << edition << ": " << testing_shipped::kNotHere;
    std::vector<std::string> measured;
    for (const Cell& cell : run->cells) measured.push_back(cell.id);
    EXPECT_THAT(foreseen_ids(full_plan_input(edition),
                             device_with_memory(most_used_device(*run)->memory_bytes)),
                UnorderedElementsAreArray(measured))
        << gpu << ", " << edition;
  }
}

TEST(ForeseenPlan, TellsWhatEachRungOfTheLeaderboardNeedsAtLeast) {
  PlanInput input = full_plan_input("2026");
  input.selection.only = {"leaderboard"};
  DeviceChoice choice = device_with_memory(80'000'000'000);
  choice.kind = DeviceKind::kCuda;
  choice.is_elsewhere = true;  // There are as many GPUs as a step has ranks.
  const std::vector<PlannedCell> cells = foreseen_plan(input, plan_cells(input, {}), choice);
  EXPECT_TRUE(std::ranges::all_of(cells, [](const PlannedCell& cell) {
    return !cell.spec.model || cell.spec.model->layers == 34;
  })) << "the whole network fits";
  const std::string table = plan_table(cells, choice);
  EXPECT_THAT(table, HasSubstr("cannot fit  leaderboard.cuda.leaderboard-checkpointed"));
  EXPECT_THAT(table, HasSubstr("≥ 46.66 GiB  leaderboard.cuda.leaderboard-saved_products"));
}

TEST(ForeseenPlan, GrowsWithTheMemory) {
  const PlanInput input = full_plan_input("2026");
  const auto cells = [&](std::int64_t gibibytes) {
    return foreseen_ids(input, device_with_memory(gibibytes << 30)).size();
  };
  EXPECT_GT(cells(140), first_plan(input).size());
  EXPECT_GT(cells(1000), cells(140));
}

TEST(ForeseenPlan, HasAboutAsManyCellsForAUsersModel) {
  PlanInput input = full_plan_input("2026");
  const std::size_t labreports_count = foreseen_ids(input, device_with_memory(140LL << 30)).size();
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  // FLOPs and dtypes of a user's model take a cell for each size and precision.
  EXPECT_NEAR(static_cast<double>(foreseen_ids(input, device_with_memory(140LL << 30)).size()),
              static_cast<double>(labreports_count), 12);
}

TEST(ForeseenPlan, IsTheFirstPlanIfTheMemoryIsUnknown) {
  const PlanInput input = full_plan_input("2026");
  EXPECT_EQ(foreseen_ids(input, {}), first_plan(input));
}

}  // namespace
}  // namespace labreport::foreseen_plan_test
