// What is said of runs that have no cell in common.
#include "analysis/match.h"

#include <gtest/gtest.h>

#include "analysis/compared_runs.h"

namespace labreport {
namespace {

using namespace testing_samples;

labreport::Run of(std::vector<Cell> cells) {
  labreport::Run run = run_on("a GPU", "abc");
  run.cells = std::move(cells);
  return run;
}

TEST(Nearest, NamesTheFieldThatDiffersMostOften) {
  const Cell forward = timed(network(Mode::kForward), {1e6});
  const Cell step = timed(network(Mode::kTrainStep), {1e6});
  CellSpec longer = network(Mode::kForward);
  longer.context = 512;
  CellSpec longer_step = network(Mode::kTrainStep, Precision::kBf16);
  longer_step.context = 512;
  const auto other = of({timed(longer, {1e6}), timed(longer_step, {1e6})});
  EXPECT_EQ(most_frequent_difference(of({forward, step}), other),
            "context differs most often: 64 against 512 (in 2 of 2 cells)");
}

TEST(Nearest, SaysNothingOfRunsWithoutCells) {
  EXPECT_EQ(most_frequent_difference(of({}), of({limits(1, 1)})), "");
  EXPECT_EQ(most_frequent_difference(of({limits(1, 1)}), of({})), "");
}

}  // namespace
}  // namespace labreport
