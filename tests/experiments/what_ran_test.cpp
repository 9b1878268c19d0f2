// The line that says what became of a run's cells.
#include <gtest/gtest.h>

#include "experiments/overview/overview.h"
#include "experiments/sample_runs.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

Run demonstration() {
  PlanInput input = testing_samples::plan_input(Preset::kDemo);
  input.selection.only = {"benchmarking_script.b"};
  return testing_samples::measured(input);
}

TEST(WhatRan, CountsCellsByOutcome) {
  labreport::Run run = demonstration();
  const std::string cells = std::to_string(run.cells.size());
  EXPECT_EQ(overview::outcome_line(run), "All " + cells + " measurements succeeded");
}

TEST(WhatRan, TellsWhatWasMeasuredAgainBecauseOthersHeldTheMemory) {
  labreport::Run run = demonstration();
  const std::string before = overview::outcome_line(run);
  auto& launches = run.cells.back().launches;
  Launch spoiled = launches.front();
  spoiled.outcome = OutOfMemory{"model", 1, 2, 3};
  spoiled.conditions = {integer_metric(metric::kGpu, metric::kOtherProcesses, "1", 1)};
  launches.insert(launches.begin(), spoiled);
  EXPECT_EQ(overview::outcome_line(run),
            before + "; 1 repeated because other processes held the memory");
}

TEST(WhatRan, StatesOneReasonOfOneNetworkOnce) {
  PlanInput input = testing_samples::plan_input(Preset::kFull);
  input.selection.only = {"memory_profiling.c"};
  const auto run = testing_samples::measured(input, [](const CellSpec& spec, Launch& launch) {
    if (spec.context == 512) testing_samples::end_with(launch, Skipped{"too large"});
  });
  const TableView table = overview::what_ran(RunView(run, input.edition));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].cells[2].text, "inference, forward and training step");
  EXPECT_EQ(table.rows[0].cells[3].text, "FP32 and BF16");
}

}  // namespace
}  // namespace labreport
