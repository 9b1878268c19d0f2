#include "measure/memory_life.h"

#include <gtest/gtest.h>

#include "measure/memory_samples.h"

namespace labreport {
namespace {

using enum MemoryCategory;

MemoryLives lives(const HistoryScript& script, const KnownMemory& known = {}) {
  return lives_of(script.history, known);
}

/// The category of what was made last at a place.
MemoryCategory category_at(const MemoryLives& found, std::uint64_t address) {
  MemoryCategory category = kUnknown;
  for (const MemoryLife& life : found.lives) {
    if (life.address == HistoryScript::at(address)) category = life.category;
  }
  return category;
}

TEST(MemoryLives, StoragesAreWhatTheProgramSaysTheyAre) {
  const MemoryLives found = lives(one_block_step(), known_in_one_block_step());
  EXPECT_EQ(category_at(found, 1), kParameters);
  EXPECT_EQ(category_at(found, 2), kOptimizer);
  EXPECT_EQ(category_at(found, 15), kGradients);
  EXPECT_EQ(category_at(found, 16), kOptimizer);
  EXPECT_EQ(found.lost, 0);
}

TEST(MemoryLives, WhatForwardLeavesForBackwardIsKept) {
  const MemoryLives found = lives(one_block_step(), known_in_one_block_step());
  EXPECT_EQ(category_at(found, 10), kActivations);
  EXPECT_EQ(category_at(found, 12), kActivations);
  EXPECT_EQ(category_at(found, 13), kActivations);  // the loss's
  EXPECT_EQ(category_at(found, 11), kTemporary);    // freed before forward ended
  EXPECT_EQ(category_at(found, 14), kTemporary);    // backward's own
}

TEST(MemoryLives, WithoutAGraphNothingIsKept) {
  KnownMemory inference = known_in_one_block_step();
  inference.graph = false;
  EXPECT_EQ(category_at(lives(one_block_step(), inference), 10), kTemporary);
}

TEST(MemoryLives, ACopyOfAWeightIsOneHoweverLongItLives) {
  HistoryScript script;
  script.in("forward", "layers.0").make(5, 64).copy_of_weight().make(6, 64).copy_of_weight();
  script.free(6);
  const MemoryLives found = lives(script, {{}, {}, true});
  EXPECT_EQ(category_at(found, 5), kWeightCopies);
  EXPECT_EQ(category_at(found, 6), kWeightCopies);
}

TEST(MemoryLives, AnAddressThatIsUsedAgainHasTwoLives) {
  HistoryScript script;
  script.in("forward").make(5, 100).free(5).make(5, 200);
  const MemoryLives found = lives(script);
  ASSERT_EQ(found.lives.size(), 2u);
  EXPECT_EQ(found.lives[0].freed, 2u);
  EXPECT_EQ(found.lives[1].made, 3u);
  EXPECT_FALSE(found.lives[1].freed);
}

TEST(MemoryLives, WhatIsFreedWithoutHavingBeenMadeWasThereBefore) {
  HistoryScript script;
  script.in("backward").make(5, 100).free(77, 300);
  const MemoryLives found = lives(script);
  const MemoryLife& stranger = found.lives.back();
  EXPECT_EQ(stranger.made, 0u);
  EXPECT_EQ(stranger.freed, 2u);
  EXPECT_EQ(stranger.requested, 300);
  EXPECT_EQ(stranger.category, kUnknown);
  EXPECT_EQ(found.lost, 1);
}

TEST(MemoryLives, TwoLivesInOnePlaceMeanThatAFreeIsMissing) {
  HistoryScript script;
  script.in("forward").make(5, 100).make(5, 200);
  const MemoryLives found = lives(script);
  EXPECT_EQ(found.lives[0].freed, 2u);
  EXPECT_EQ(found.lost, 1);
}

TEST(MemoryLives, ResidentBlocksThatNobodyKnowsAreUnknown) {
  HistoryScript script;
  script.resident(9, 4096).in("forward").make(5, 1);
  EXPECT_EQ(category_at(lives(script), 9), kUnknown);
}

TEST(MemoryLives, WhatIsMadeBeforeAnyPhaseIsUnknown) {
  HistoryScript script;
  script.in("").make(5, 100);
  EXPECT_EQ(category_at(lives(script), 5), kUnknown);
}

TEST(MemoryLives, ARefusedForwardKeepsWhatItStillHeld) {
  HistoryScript script;
  script.in("forward", "layers.0").make(5, 100).make(6, 10).free(6).refuse(1 << 30);
  const MemoryLives found = lives(script, {{}, {}, true});
  EXPECT_EQ(category_at(found, 5), kActivations);
  EXPECT_EQ(category_at(found, 6), kTemporary);
}

}  // namespace
}  // namespace labreport
