#include "orchestrate/queue.h"

#include <gtest/gtest.h>

#include "orchestrate/run_fixture.h"

namespace labreport {
namespace {

LaunchQueue queue() {
  return LaunchQueue([](const CellSpec& spec) { return static_cast<double>(*spec.context); });
}

TEST(LaunchQueue, EstimatesWhatIsLeftAndCorrectsItselfByWhatItSees) {
  LaunchQueue all = queue();
  EXPECT_TRUE(all.plan({{fake_cell("a", 10), 1}, {fake_cell("b", 20), 1}}, {}));
  EXPECT_EQ(all.standing(1).left_seconds, 30);
  EXPECT_EQ(all.standing(2).left_seconds, 15) << "two slots share the work";
  const auto item = all.next();
  EXPECT_EQ(all.standing(1).left_seconds, 30) << "what is in flight is still to come";
  all.finished(item->spec, 20);
  EXPECT_EQ(all.standing(1).left_seconds, 40) << "twice as slow as estimated";
  EXPECT_EQ(all.standing(1).done, 1u);
  EXPECT_EQ(all.standing(1).total, 2u);
}

TEST(LaunchQueue, WhatIsSkippedSaysNothingAboutSpeed) {
  LaunchQueue all = queue();
  all.plan({{fake_cell("a", 10), 1}, {fake_cell("b", 20), 1}}, {});
  all.finished(all.next()->spec, 0);
  EXPECT_EQ(all.standing(1).left_seconds, 20);
}

TEST(LaunchQueue, HoldsASecondLaunchBackWhileTheFirstIsInFlight) {
  LaunchQueue all = queue();
  all.plan({{fake_cell("a"), 2}}, {});
  const auto first = all.next();
  ASSERT_TRUE(first);
  EXPECT_FALSE(all.next());
  EXPECT_FALSE(all.idle());
  all.finished(first->spec, 1);
  EXPECT_EQ(all.next()->launch, 1);
}

TEST(LaunchQueue, KnowsWhereACellStandsInThePlan) {
  LaunchQueue all = queue();
  all.plan({{fake_cell("a"), 1}, {fake_cell("b"), 1}}, {});
  EXPECT_EQ(all.position(cell_id(fake_cell("b"))), 1u);
  EXPECT_EQ(all.position("another"), 2u);
}

}  // namespace
}  // namespace labreport
