#include "measure/memory/lifetimes.h"

#include <gtest/gtest.h>

#include "measure/memory/samples.h"

namespace labreport::lifetimes_test {
namespace {

using enum MemoryCategory;

MemoryLifetimes lifetimes(const HistoryScript& script, const KnownMemory& known = {}) {
  return lifetimes_of(script.history, known);
}

/// The category of the last block made at a place.
MemoryCategory category_at(const MemoryLifetimes& found, std::uint64_t address) {
  MemoryCategory category = kUnknown;
  for (const MemoryLifetime& lifetime : found.lifetimes) {
    if (lifetime.address == HistoryScript::at(address)) category = lifetime.category;
  }
  return category;
}

TEST(MemoryLifetimes, StoragesAreWhatTheProgramSaysTheyAre) {
  const MemoryLifetimes found = lifetimes(one_block_step(), known_in_one_block_step());
  EXPECT_EQ(category_at(found, 1), kParameters);
  EXPECT_EQ(category_at(found, 2), kOptimizer);
  EXPECT_EQ(category_at(found, 15), kGradients);
  EXPECT_EQ(category_at(found, 16), kOptimizer);
  EXPECT_EQ(found.lost, 0);
}

TEST(MemoryLifetimes, WhatForwardLeavesForBackwardIsKept) {
  const MemoryLifetimes found = lifetimes(one_block_step(), known_in_one_block_step());
  EXPECT_EQ(category_at(found, 10), kActivations);
  EXPECT_EQ(category_at(found, 12), kActivations);
  EXPECT_EQ(category_at(found, 13), kActivations);  // belongs to the loss
  EXPECT_EQ(category_at(found, 11), kTemporary);    // freed before forward ended
  EXPECT_EQ(category_at(found, 14), kTemporary);    // belongs to backward
}

TEST(MemoryLifetimes, WithoutAGraphNothingIsKept) {
  KnownMemory inference = known_in_one_block_step();
  inference.graph = false;
  EXPECT_EQ(category_at(lifetimes(one_block_step(), inference), 10), kTemporary);
}

TEST(MemoryLifetimes, ACopyOfAWeightIsOneHoweverLongItLives) {
  HistoryScript script;
  script.in("forward", "layers.0").make(5, 64).copy_of_weight().make(6, 64).copy_of_weight();
  script.free(6);
  const MemoryLifetimes found = lifetimes(script, {{}, {}, true});
  EXPECT_EQ(category_at(found, 5), kWeightCopies);
  EXPECT_EQ(category_at(found, 6), kWeightCopies);
}

TEST(MemoryLifetimes, AnAddressThatIsUsedAgainHasTwoLifetimes) {
  HistoryScript script;
  script.in("forward").make(5, 100).free(5).make(5, 200);
  const MemoryLifetimes found = lifetimes(script);
  ASSERT_EQ(found.lifetimes.size(), 2u);
  EXPECT_EQ(found.lifetimes[0].freed, 2u);
  EXPECT_EQ(found.lifetimes[1].made, 3u);
  EXPECT_FALSE(found.lifetimes[1].freed);
}

TEST(MemoryLifetimes, WhatIsFreedWithoutHavingBeenMadeWasThereBefore) {
  HistoryScript script;
  script.in("backward").make(5, 100).free(77, 300);
  const MemoryLifetimes found = lifetimes(script);
  const MemoryLifetime& stranger = found.lifetimes.back();
  EXPECT_EQ(stranger.made, 0u);
  EXPECT_EQ(stranger.freed, 2u);
  EXPECT_EQ(stranger.requested, 300);
  EXPECT_EQ(stranger.category, kUnknown);
  EXPECT_EQ(found.lost, 1);
}

TEST(MemoryLifetimes, TwoAllocationsInOnePlaceMeanThatAFreeIsMissing) {
  HistoryScript script;
  script.in("forward").make(5, 100).make(5, 200);
  const MemoryLifetimes found = lifetimes(script);
  EXPECT_EQ(found.lifetimes[0].freed, 2u);
  EXPECT_EQ(found.lost, 1);
}

TEST(MemoryLifetimes, ResidentBlocksThatNobodyKnowsAreUnknown) {
  HistoryScript script;
  script.resident(9, 4096).in("forward").make(5, 1);
  EXPECT_EQ(category_at(lifetimes(script), 9), kUnknown);
}

TEST(MemoryLifetimes, WhatIsMadeBeforeAnyPhaseIsUnknown) {
  HistoryScript script;
  script.in("").make(5, 100);
  EXPECT_EQ(category_at(lifetimes(script), 5), kUnknown);
}

TEST(MemoryLifetimes, AForwardThatRanOutOfMemoryKeepsWhatItStillHeld) {
  HistoryScript script;
  script.in("forward", "layers.0").make(5, 100).make(6, 10).free(6).out_of_memory(1 << 30);
  const MemoryLifetimes found = lifetimes(script, {{}, {}, true});
  EXPECT_EQ(category_at(found, 5), kActivations);
  EXPECT_EQ(category_at(found, 6), kTemporary);
}

}  // namespace
}  // namespace labreport::lifetimes_test
