#include "document/view.h"

#include <gtest/gtest.h>

#include "results/sample.h"

namespace labreport::view_test {
namespace {

using testing_samples::sample_launch;
using testing_samples::sample_run;

const auto kAnySpec = [](const CellSpec&) { return true; };

TEST(RunView, FindsCellsByKindAndSpecInPlanOrder) {
  const auto run = sample_run();
  const RunView view(run, find_edition("2025"));
  ASSERT_EQ(view.cells(CellKind::kTiming, kAnySpec).size(), 2u);
  EXPECT_EQ(view.cell(CellKind::kTiming, kAnySpec), &run.cells[0]);
  const auto trains = [](const CellSpec& spec) { return spec.mode == Mode::kTrainStep; };
  EXPECT_EQ(view.cell(CellKind::kTiming, trains), &run.cells[1]);
  EXPECT_EQ(view.cell(CellKind::kMemory, kAnySpec), nullptr);
}

TEST(RunView, NamesTheDeviceThatRanMost) {
  const auto run = sample_run();
  const RunView view(run, find_edition("2025"));
  EXPECT_EQ(view.device(), &run.devices[0]);
  const labreport::Run empty_run;
  EXPECT_EQ(RunView(empty_run, find_edition("2025")).device(), nullptr);
}

TEST(Representative, IsTheFirstOkLaunchElseTheLast) {
  Cell cell;
  EXPECT_EQ(representative(cell), nullptr);
  cell.launches = {sample_launch(TimedOut{1}), sample_launch(Failed{"x"})};
  EXPECT_EQ(representative(cell), &cell.launches[1]);
  cell.launches.push_back(sample_launch(Ok{}));
  cell.launches.push_back(sample_launch(Ok{}));
  EXPECT_EQ(representative(cell), &cell.launches[2]);
}

TEST(Milliseconds, AreEmptyForAnAbsentMetric) {
  const Launch launch = sample_launch(Ok{});
  EXPECT_EQ(milliseconds(launch, "step", "total"), (std::vector<double>{30e-6, 10e-6, 11e-6}));
  EXPECT_TRUE(milliseconds(launch, "step", "nothing").empty());
}

TEST(Window, DropsTheWarmUp) {
  const std::vector<double> samples = {1, 2, 3, 4};
  EXPECT_EQ(window(samples, 1, 2), (std::vector<double>{2, 3}));
  EXPECT_EQ(window(samples, 3, 9), (std::vector<double>{4}));
  EXPECT_TRUE(window(samples, 9, 2).empty());
}

}  // namespace
}  // namespace labreport::view_test
