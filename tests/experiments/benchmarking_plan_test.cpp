#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "experiments/sample_runs.h"

namespace labreport {
namespace {

PlanInput plan_input(Preset preset, const char* edition = "2025") {
  return testing_samples::only("benchmarking_script", preset, edition);
}

std::vector<PlannedCell> planned(const PlanInput& input) { return plan_cells(input, Run{}); }

std::int64_t launches(const std::vector<PlannedCell>& cells) {
  std::int64_t sum = 0;
  for (const PlannedCell& cell : cells) sum += cell.launches;
  return sum;
}

std::ptrdiff_t count_mode(const std::vector<PlannedCell>& cells, Mode mode) {
  return std::count_if(cells.begin(), cells.end(), [&](const PlannedCell& cell) {
    return cell.spec.mode == mode && cell.spec.steps > 1;
  });
}

TEST(BenchmarkingPlan, FullIsAllSizesAndModesWithTheFirstStepFromThreeProcesses) {
  const auto cells = planned(plan_input(Preset::kFull));
  EXPECT_EQ(cells.front().spec.kind, CellKind::kLimits);
  for (const Mode mode :
       {Mode::kInference, Mode::kForward, Mode::kForwardBackward, Mode::kTrainStep}) {
    EXPECT_EQ(count_mode(cells, mode), 5);
  }
  // Limits, 5 × 4 modes, two more first steps for two modes of five sizes, and five profiled.
  EXPECT_EQ(launches(cells), 1 + 20 + 5 * 2 * 2 + 5);
}

TEST(BenchmarkingPlan, OneFirstStepOfEachSizeIsProfiled) {
  for (const PlannedCell& cell : planned(plan_input(Preset::kFull))) {
    if (cell.spec.kind != CellKind::kKernels) continue;
    EXPECT_EQ(cell.spec.mode, Mode::kForwardBackward);
    EXPECT_EQ(cell.spec.warmup, 0);
    EXPECT_EQ(cell.spec.steps, 0);
  }
}

TEST(BenchmarkingPlan, The2026EditionStartsTrainStepsColdToo) {
  EXPECT_EQ(launches(planned(plan_input(Preset::kFull, "2026"))), 1 + 20 + 5 * 3 * 2 + 5);
}

TEST(BenchmarkingPlan, QuickStartsEachRowOnce) {
  EXPECT_EQ(launches(planned(plan_input(Preset::kQuick))), 1 + 2 * 4);
}

TEST(BenchmarkingPlan, APartAsksForItsOwnModesOnly) {
  PlanInput input = plan_input(Preset::kFull);
  input.selection.only = {"benchmarking_script.c"};
  const auto cells = planned(input);
  EXPECT_EQ(count_mode(cells, Mode::kInference), 0);
  EXPECT_EQ(count_mode(cells, Mode::kForward), 5);
  input.selection.only = {"benchmarking_script.b"};
  EXPECT_EQ(launches(planned(input)), 1 + 20);
}

TEST(BenchmarkingPlan, SelectionsCutItDown) {
  PlanInput input = plan_input(Preset::kFull);
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.modes = {Mode::kForwardBackward};
  EXPECT_EQ(launches(planned(input)), 1 + 1 + 2 + 1);
}

TEST(BenchmarkingPlan, SeparateWarmupsGetProcessesOfTheirOwn) {
  PlanInput input = plan_input(Preset::kQuick);
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.modes = {Mode::kForward};
  input.selection.warmup = 5;
  input.selection.separate_warmups = true;
  EXPECT_EQ(launches(planned(input)), 1 + 4);
}

TEST(BenchmarkingPlan, NoTwoCellsShareAnId) {
  std::set<std::string> ids;
  for (const PlannedCell& cell : planned(plan_input(Preset::kFull))) {
    EXPECT_TRUE(ids.insert(cell_id(cell.spec)).second) << cell_id(cell.spec);
  }
}

TEST(Catalog, UnknownExperimentsAreRefusedWithTheValidOnes) {
  EXPECT_EQ(find_experiment("benchmarking_script.c").name, "benchmarking_script");
  try {
    find_experiment("benchmarking_script.z");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("benchmarking_script.b"), std::string::npos);
  }
}

}  // namespace
}  // namespace labreport
