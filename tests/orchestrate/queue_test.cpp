#include "orchestrate/queue.h"

#include <gmock/gmock.h>

#include "orchestrate/run_fixture.h"

namespace labreport::queue_test {
namespace {

LaunchQueue make_queue() {
  return LaunchQueue([](const CellSpec& spec) { return static_cast<double>(*spec.context); });
}

TEST(LaunchQueue, CorrectsTheRemainingTimeByMeasuredTimes) {
  LaunchQueue queue = make_queue();
  EXPECT_TRUE(queue.plan({{fake_cell("a", 10), 1}, {fake_cell("b", 20), 1}}, {}));
  EXPECT_EQ(queue.progress(1).remaining_seconds, 30);
  EXPECT_EQ(queue.progress(2).remaining_seconds, 15) << "two slots share the work";
  const auto item = queue.next();
  EXPECT_EQ(queue.progress(1).remaining_seconds, 30) << "what is in flight is still to come";
  queue.mark_finished(item->spec, 20);
  EXPECT_EQ(queue.progress(1).remaining_seconds, 30)
      << "20 s left, times (20 + 10) / (10 + 10); see kPriorSeconds";
  EXPECT_EQ(queue.progress(1).done, 1u);
  EXPECT_EQ(queue.progress(1).total, 2u);
}

TEST(LaunchQueue, SkippedLaunchesDoNotChangeTheEstimate) {
  LaunchQueue queue = make_queue();
  queue.plan({{fake_cell("a", 10), 1}, {fake_cell("b", 20), 1}}, {});
  queue.mark_finished(queue.next()->spec, 0);
  EXPECT_EQ(queue.progress(1).remaining_seconds, 20);
}

TEST(LaunchQueue, HoldsASecondLaunchBackWhileTheFirstIsInFlight) {
  LaunchQueue queue = make_queue();
  queue.plan({{fake_cell("a"), 2}}, {});
  const auto first = queue.next();
  ASSERT_TRUE(first);
  EXPECT_FALSE(queue.next());
  EXPECT_FALSE(queue.idle());
  queue.mark_finished(first->spec, 1);
  EXPECT_EQ(queue.next()->launch, 1);
}

TEST(LaunchQueue, ALaunchTracesTheGpuIfThePlanSaysSo) {
  LaunchQueue queue = make_queue();
  queue.plan({{fake_cell("a"), 1, true}, {fake_cell("b"), 1}}, {});
  EXPECT_TRUE(queue.next()->gpu_trace);
  EXPECT_FALSE(queue.next()->gpu_trace);
}

TEST(LaunchQueue, ReturnsTheCellsPositionInThePlan) {
  LaunchQueue queue = make_queue();
  queue.plan({{fake_cell("a"), 1}, {fake_cell("b"), 1}}, {});
  EXPECT_EQ(queue.position(cell_id(fake_cell("b"))), 1u);
  EXPECT_EQ(queue.position("another"), 2u);
}

/// Returns the cells' sizes in the order in which one slot measures them.
std::vector<std::string> launch_order(LaunchQueue queue, const std::vector<PlannedCell>& wanted,
                                      const labreport::Run& run = {}) {
  std::vector<std::string> sizes;
  queue.plan(wanted, run);
  while (const auto item = queue.next()) {
    sizes.push_back(item->spec.size);
    queue.mark_finished(item->spec, 1);
  }
  return sizes;
}

std::vector<PlannedCell> cells(const std::vector<std::string>& names, std::int64_t launches) {
  std::vector<PlannedCell> cells;
  for (const std::string& name : names) cells.push_back({fake_cell(name), launches});
  return cells;
}

const std::vector<std::string>& six_names() {
  static const std::vector<std::string> names{"a", "b", "c", "d", "e", "f"};
  return names;
}

TEST(LaunchQueue, EachRoundHoldsEveryCellOnceAndTheFirstIsInThePlansOrder) {
  const auto all = launch_order(make_queue(), cells(six_names(), 5));
  ASSERT_EQ(all.size(), 30u);
  for (auto begin = all.begin(); begin != all.end(); begin += 6) {
    if (begin == all.begin()) {
      EXPECT_THAT(std::vector(begin, begin + 6), testing::ElementsAreArray(six_names()));
    }
    EXPECT_THAT(std::vector(begin, begin + 6), testing::UnorderedElementsAreArray(six_names()));
  }
}

TEST(LaunchQueue, NoCellAlwaysFollowsTheSameOne) {
  const auto all = launch_order(make_queue(), cells(six_names(), 40));
  std::map<std::pair<std::string, std::string>, int> follows;
  for (std::size_t i = 1; i < all.size(); ++i) ++follows[{all[i - 1], all[i]}];
  for (const auto& [pair, times] : follows) {
    EXPECT_LT(times, 16) << pair.second << " after " << pair.first << " in 40 rounds";
  }
  EXPECT_GT(follows.size(), 30u) << "nearly every pair of six";
}

TEST(LaunchQueue, TheSeedDeterminesTheOrder) {
  const auto seeded = [](std::int64_t seed) {
    return LaunchQueue([](const CellSpec&) { return 1.0; }, seed);
  };
  EXPECT_EQ(launch_order(seeded(1), cells(six_names(), 5)),
            launch_order(seeded(1), cells(six_names(), 5)));
  EXPECT_NE(launch_order(seeded(1), cells(six_names(), 5)),
            launch_order(seeded(2), cells(six_names(), 5)));
}

TEST(LaunchQueue, AResumedRunGoesOnInTheSameOrder) {
  const auto wanted = cells(six_names(), 4);
  auto all = launch_order(make_queue(), wanted);
  labreport::Run run;
  for (std::size_t done = 0; done < 15; ++done) {
    run.find_or_add(fake_cell(all[done])).launches.emplace_back();
  }
  all.erase(all.begin(), all.begin() + 15);
  EXPECT_EQ(launch_order(make_queue(), wanted, run), all);
}

TEST(LaunchQueue, LaterPlannedCellsKeepTheOrderOfTheOthers) {
  auto all = launch_order(make_queue(), cells({"a", "b", "c", "d", "e", "f", "g"}, 5));
  std::erase(all, "g");
  EXPECT_EQ(launch_order(make_queue(), cells(six_names(), 5)), all);
}

}  // namespace
}  // namespace labreport::queue_test
