#include "orchestrate/queue.h"

#include <gmock/gmock.h>

#include "orchestrate/run_fixture.h"

namespace labreport::queue_test {
namespace {

LaunchQueue queue() {
  return LaunchQueue([](const CellSpec& spec) { return static_cast<double>(*spec.context); });
}

TEST(LaunchQueue, EstimatesWhatIsLeftAndCorrectsItselfByWhatItSees) {
  LaunchQueue all = queue();
  EXPECT_TRUE(all.plan({{fake_cell("a", 10), 1}, {fake_cell("b", 20), 1}}, {}));
  EXPECT_EQ(all.progress(1).remaining_seconds, 30);
  EXPECT_EQ(all.progress(2).remaining_seconds, 15) << "two slots share the work";
  const auto item = all.next();
  EXPECT_EQ(all.progress(1).remaining_seconds, 30) << "what is in flight is still to come";
  all.mark_finished(item->spec, 20);
  EXPECT_EQ(all.progress(1).remaining_seconds, 30)
      << "corrected by half after as long as is taken on trust";
  EXPECT_EQ(all.progress(1).done, 1u);
  EXPECT_EQ(all.progress(1).total, 2u);
}

TEST(LaunchQueue, WhatIsSkippedSaysNothingAboutSpeed) {
  LaunchQueue all = queue();
  all.plan({{fake_cell("a", 10), 1}, {fake_cell("b", 20), 1}}, {});
  all.mark_finished(all.next()->spec, 0);
  EXPECT_EQ(all.progress(1).remaining_seconds, 20);
}

TEST(LaunchQueue, HoldsASecondLaunchBackWhileTheFirstIsInFlight) {
  LaunchQueue all = queue();
  all.plan({{fake_cell("a"), 2}}, {});
  const auto first = all.next();
  ASSERT_TRUE(first);
  EXPECT_FALSE(all.next());
  EXPECT_FALSE(all.idle());
  all.mark_finished(first->spec, 1);
  EXPECT_EQ(all.next()->launch, 1);
}

TEST(LaunchQueue, ALaunchIsAskedForATraceWhereThePlanWantsOne) {
  LaunchQueue all = queue();
  all.plan({{fake_cell("a"), 1, true}, {fake_cell("b"), 1}}, {});
  EXPECT_TRUE(all.next()->gpu_trace);
  EXPECT_FALSE(all.next()->gpu_trace);
}

TEST(LaunchQueue, KnowsWhereACellStandsInThePlan) {
  LaunchQueue all = queue();
  all.plan({{fake_cell("a"), 1}, {fake_cell("b"), 1}}, {});
  EXPECT_EQ(all.position(cell_id(fake_cell("b"))), 1u);
  EXPECT_EQ(all.position("another"), 2u);
}

/// Returns the cells' sizes in the order in which one slot measures them.
std::vector<std::string> launch_order(LaunchQueue all, const std::vector<PlannedCell>& wanted,
                                      const labreport::Run& run = {}) {
  std::vector<std::string> sizes;
  all.plan(wanted, run);
  while (const auto item = all.next()) {
    sizes.push_back(item->spec.size);
    all.mark_finished(item->spec, 1);
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
  const auto all = launch_order(queue(), cells(six_names(), 5));
  ASSERT_EQ(all.size(), 30u);
  for (auto begin = all.begin(); begin != all.end(); begin += 6) {
    if (begin == all.begin()) {
      EXPECT_THAT(std::vector(begin, begin + 6), testing::ElementsAreArray(six_names()));
    }
    EXPECT_THAT(std::vector(begin, begin + 6), testing::UnorderedElementsAreArray(six_names()));
  }
}

TEST(LaunchQueue, NoCellAlwaysFollowsTheSameOne) {
  const auto all = launch_order(queue(), cells(six_names(), 40));
  std::map<std::pair<std::string, std::string>, int> follows;
  for (std::size_t i = 1; i < all.size(); ++i) ++follows[{all[i - 1], all[i]}];
  for (const auto& [pair, times] : follows) {
    EXPECT_LT(times, 16) << pair.second << " after " << pair.first << " in 40 rounds";
  }
  EXPECT_GT(follows.size(), 30u) << "nearly every pair of six";
}

TEST(LaunchQueue, TheOrderIsTheSeedsAndTheSameEveryTime) {
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
  auto all = launch_order(queue(), wanted);
  labreport::Run run;
  for (std::size_t done = 0; done < 15; ++done) {
    run.find_or_add(fake_cell(all[done])).launches.emplace_back();
  }
  all.erase(all.begin(), all.begin() + 15);
  EXPECT_EQ(launch_order(queue(), wanted, run), all);
}

TEST(LaunchQueue, CellsThatArePlannedLaterLeaveTheOthersOrder) {
  auto all = launch_order(queue(), cells({"a", "b", "c", "d", "e", "f", "g"}, 5));
  std::erase(all, "g");
  EXPECT_EQ(launch_order(queue(), cells(six_names(), 5)), all);
}

}  // namespace
}  // namespace labreport::queue_test
