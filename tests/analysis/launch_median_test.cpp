#include "analysis/noise_floor.h"

#include <gmock/gmock.h>

namespace labreport {
namespace {

using testing::ElementsAre;

Cell cell(std::int64_t warmup, std::vector<std::vector<std::int64_t>> launches) {
  Cell cell;
  cell.spec.warmup = warmup;
  for (auto& steps : launches) {
    cell.launches.emplace_back().metrics = {sample_metric("step", "total", "ns", std::move(steps))};
  }
  return cell;
}

TEST(LaunchMedian, IsThatOfTheCountedSteps) {
  EXPECT_THAT(launch_medians(cell(2, {{900, 500, 10, 30, 20}, {900, 500, 12, 14}})),
              ElementsAre(20, 13));
}

TEST(LaunchMedian, LeavesOutWhatFailedOrCountsNoStep) {
  Cell some = cell(1, {{900}, {900, 7}, {900, 8}});
  some.launches[2].outcome = Failed{"shape mismatch"};
  EXPECT_THAT(launch_medians(some), ElementsAre(7));
}

TEST(LaunchMedian, IsOfTimingCellsAlone) {
  Cell kernels = cell(0, {{900, 7}});
  kernels.spec.kind = CellKind::kKernels;
  EXPECT_THAT(launch_medians(kernels), ElementsAre());
}

}  // namespace
}  // namespace labreport
