#include "analysis/measures.h"

#include <gmock/gmock.h>

namespace labreport {
namespace {

using testing::ElementsAre;

Cell of_kind(CellKind kind) {
  Cell cell;
  cell.spec.kind = kind;
  cell.spec.warmup = 2;
  cell.launches.emplace_back().metrics = {
      sample_metric("step", "total", "ns", std::vector<std::int64_t>{900, 500, 20})};
  return cell;
}

TEST(Measures, OfShardedTrainingCountEveryRecordedStep) {
  EXPECT_THAT(measures_of(of_kind(CellKind::kSharding).spec), ElementsAre(Measure::kStep));
  EXPECT_THAT(launch_values(of_kind(CellKind::kSharding), Measure::kStep), ElementsAre(500))
      << "its warm-up is not among them";
  EXPECT_THAT(launch_values(of_kind(CellKind::kDataParallel), Measure::kStep), ElementsAre(20));
}

TEST(Measures, AllReducesHaveNone) {
  EXPECT_THAT(measures_of(of_kind(CellKind::kAllReduce).spec), ElementsAre());
}

}  // namespace
}  // namespace labreport
