// The data behind part (b)'s figure.
#include <gtest/gtest.h>

#include "experiments/benchmarking_script/duration_tables.h"
#include "experiments/benchmarking_script/parts.h"
#include "experiments/sample_runs.h"

namespace labreport::benchmarking_script {
namespace {

using testing_samples::measured;
using testing_samples::plan_input;

TableView samples_of(PlanInput input) {
  input.selection.only = {kProblem};
  const Run run = measured(input);
  return samples_table(timing_groups(RunView(run, input.edition)));
}

TEST(SamplesTable, HasARowForEachSizeAndPhaseItsStepsSideBySide) {
  const TableView table = samples_of(plan_input(Preset::kFull));
  EXPECT_EQ(table.rows.size(), 5u * 3);
  EXPECT_EQ(table.columns.size(), 2u + 10);
  EXPECT_EQ(table.columns.back().title, "Step 10");
}

TEST(SamplesTable, ContinuesLongSeriesInTheNextRow) {
  PlanInput input = plan_input(Preset::kFull);
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.modes = {Mode::kForwardBackward};
  input.selection.steps = 12;
  const TableView table = samples_of(input);
  ASSERT_EQ(table.rows.size(), 2u * 2);
  EXPECT_EQ(table.rows[1].cells[2].text, "11 to 12");
  EXPECT_EQ(table.columns[4].title, "…2");
  EXPECT_EQ(table.rows[1].cells[5].text, "–");
}

}  // namespace
}  // namespace labreport::benchmarking_script
