#include "plan/planner.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace labreport::planner_test {
namespace {

PlanInput input_for(Preset preset) { return {find_edition("2025"), preset, {}, DeviceKind::kCuda}; }

TEST(Axes, HaveTheHandoutsValuesInPresetFull) {
  const Axes full = axes(input_for(Preset::kFull));
  EXPECT_EQ(full.sizes.size(), 5U);
  EXPECT_EQ(full.contexts, std::vector<std::int64_t>{512});
  EXPECT_EQ(full.batch, 4);
  EXPECT_EQ(full.warmup, 5);
  EXPECT_EQ(full.steps, 10);
}

TEST(Axes, HaveTwoSizesAndFewStepsInPresetQuick) {
  const Axes quick = axes(input_for(Preset::kQuick));
  ASSERT_EQ(quick.sizes.size(), 2U);
  EXPECT_EQ(quick.sizes[1].name, "medium");
  EXPECT_EQ(quick.warmup, 2);
  EXPECT_EQ(quick.steps, 5);
}

TEST(Axes, HaveNoSizeOfTheHandoutInPresetDemo) {
  for (const Size& demo : axes(input_for(Preset::kDemo)).sizes) {
    for (const Size& size : find_edition("2025").sizes) EXPECT_NE(demo.name, size.name);
  }
}

TEST(Axes, AreReplacedByTheSelection) {
  PlanInput narrowed = input_for(Preset::kFull);
  narrowed.selection.sizes = {parse_size("mini=64,256,2,2", 100)};
  narrowed.selection.contexts = {128, 256};
  narrowed.selection.vocab = 500;
  narrowed.selection.steps = 3;
  const Axes chosen = axes(narrowed);
  EXPECT_EQ(chosen.sizes.size(), 1U);
  EXPECT_EQ(chosen.sizes[0].shape.vocab, 500);
  EXPECT_EQ(chosen.contexts.size(), 2U);
  EXPECT_EQ(chosen.steps, 3);
  EXPECT_EQ(chosen.warmup, 5);
}

TEST(Presets, RoundTripAndRefuseUnknownNames) {
  EXPECT_EQ(parse_name<Preset>(name(Preset::kQuick)), Preset::kQuick);
  EXPECT_THROW(parse_name<Preset>("fast"), InputError);
}

}  // namespace
}  // namespace labreport::planner_test
