#include "analysis/measures.h"

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
  EXPECT_THAT(launch_values(cell(2, {{900, 500, 10, 30, 20}, {900, 500, 12, 14}}), Measure::kStep),
              ElementsAre(20, 13));
}

TEST(LaunchMedian, LeavesOutWhatFailedOrCountsNoStep) {
  Cell some = cell(1, {{900}, {900, 7}, {900, 8}});
  some.launches[2].outcome = Failed{"shape mismatch"};
  EXPECT_THAT(launch_values(some, Measure::kStep), ElementsAre(7));
}

}  // namespace
}  // namespace labreport
