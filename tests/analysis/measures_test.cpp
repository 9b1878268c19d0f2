#include "analysis/measures.h"

#include <gmock/gmock.h>

#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::measures_test {
namespace {

using testing::ElementsAre;

/// Returns a cell with two warm-up steps, whose only launch recorded three steps in ns.
Cell cell_of_kind(CellKind kind) {
  Cell cell;
  cell.spec.kind = kind;
  cell.spec.warmup = 2;
  cell.launches.emplace_back().metrics = {
      sample_metric("step", "total", "ns", std::vector<std::int64_t>{900, 500, 20})};
  return cell;
}

TEST(Measures, CountEveryRecordedStepOfShardedTraining) {
  EXPECT_THAT(measures_of(cell_of_kind(CellKind::kSharding).spec), ElementsAre(Measure::kStep));
  EXPECT_THAT(launch_values(cell_of_kind(CellKind::kSharding), Measure::kStep), ElementsAre(500))
      << "its warm-up is not among them";
  EXPECT_THAT(launch_values(cell_of_kind(CellKind::kDataParallel), Measure::kStep),
              ElementsAre(20));
}

/// Returns a launch of all-reduces of 1 MB. Each rank's time in ns is the median of its
/// synchronized calls, or else the mean of its calls in place.
Launch all_reduce_launch(std::string_view method, const std::vector<std::int64_t>& rank_ns) {
  Table table = empty_table(metric::kAllReduce);
  const bool is_synced = method == metric::kSynced;
  for (std::size_t rank = 0; rank < rank_ns.size(); ++rank) {
    const std::int64_t mean = is_synced ? 9 * rank_ns[rank] : rank_ns[rank];
    const Scalar median = is_synced ? Scalar(rank_ns[rank]) : Scalar();
    table.rows.push_back({std::int64_t{1'000'000}, std::string(method),
                          static_cast<std::int64_t>(rank), std::int64_t{20}, mean, Scalar(),
                          Scalar(), median, Scalar(), std::int64_t{0}, std::int64_t{0}});
  }
  Launch launch;
  launch.tables = {table};
  return launch;
}

TEST(Measures, UseTheSlowestRankOfAnAllReduce) {
  Cell cell = cell_of_kind(CellKind::kAllReduce);
  Launch both = all_reduce_launch(metric::kSynced, {70, 75});
  const Launch in_place = all_reduce_launch(metric::kInPlace, {60, 50});
  both.tables.front().rows.insert(both.tables.front().rows.end(),
                                  in_place.tables.front().rows.begin(),
                                  in_place.tables.front().rows.end());
  cell.launches = {all_reduce_launch(metric::kSynced, {70, 75}), both};
  EXPECT_THAT(launch_values(cell, Measure::kAllReduce1Mb), ElementsAre(75, 60));
  EXPECT_THAT(launch_values(cell, Measure::kAllReduce10Mb), ElementsAre()) << "not swept";
}

/// Returns a cell whose launches took these steps in ns, of which the first `warmup` do not count.
Cell cell_of_steps(std::int64_t warmup, std::vector<std::vector<std::int64_t>> launches) {
  Cell cell;
  cell.spec.warmup = warmup;
  for (auto& steps : launches) {
    cell.launches.emplace_back().metrics = {sample_metric("step", "total", "ns", std::move(steps))};
  }
  return cell;
}

TEST(LaunchMedian, IgnoresWarmUpSteps) {
  EXPECT_THAT(
      launch_values(cell_of_steps(2, {{900, 500, 10, 30, 20}, {900, 500, 12, 14}}), Measure::kStep),
      ElementsAre(20, 13));
}

TEST(LaunchMedian, IgnoresLaunchesWithoutCountedSteps) {
  Cell cell = cell_of_steps(1, {{900}, {900, 7}, {900, 8}});
  cell.launches[2].outcome = Failed{"shape mismatch"};
  EXPECT_THAT(launch_values(cell, Measure::kStep), ElementsAre(7));
}

}  // namespace
}  // namespace labreport::measures_test
