#include "measure/memory/lifetimes.h"

#include <gtest/gtest.h>

#include "measure/memory/history_script.h"

namespace labreport::lifetimes_test {
namespace {

using enum MemoryCategory;

MemoryLifetimes lifetimes_in(const HistoryScript& script, const KnownMemory& known = {}) {
  return lifetimes_of(script.history, known);
}

/// Returns the category of the last block that was allocated at the address.
MemoryCategory category_at(const MemoryLifetimes& lifetimes, std::uint64_t address) {
  MemoryCategory category = kUnknown;
  for (const MemoryLifetime& lifetime : lifetimes.all) {
    if (lifetime.address == HistoryScript::at(address)) category = lifetime.category;
  }
  return category;
}

TEST(MemoryLifetimes, TakeTheCategoriesOfKnownStorages) {
  const MemoryLifetimes lifetimes = lifetimes_in(one_block_step(), known_in_one_block_step());
  EXPECT_EQ(category_at(lifetimes, 1), kParameters);
  EXPECT_EQ(category_at(lifetimes, 2), kOptimizer);
  EXPECT_EQ(category_at(lifetimes, 15), kGradients);
  EXPECT_EQ(category_at(lifetimes, 16), kOptimizer);
  EXPECT_EQ(lifetimes.lost_events, 0);
}

TEST(MemoryLifetimes, CountWhatForwardKeepsAsActivations) {
  const MemoryLifetimes lifetimes = lifetimes_in(one_block_step(), known_in_one_block_step());
  EXPECT_EQ(category_at(lifetimes, 10), kActivations);
  EXPECT_EQ(category_at(lifetimes, 12), kActivations);
  EXPECT_EQ(category_at(lifetimes, 13), kActivations);  // belongs to the loss
  EXPECT_EQ(category_at(lifetimes, 11), kTemporary);    // freed before forward ended
  EXPECT_EQ(category_at(lifetimes, 14), kTemporary);    // belongs to backward
}

TEST(MemoryLifetimes, HaveNoActivationsWithoutAGraph) {
  KnownMemory inference = known_in_one_block_step();
  inference.builds_autograd_graph = false;
  EXPECT_EQ(category_at(lifetimes_in(one_block_step(), inference), 10), kTemporary);
}

TEST(MemoryLifetimes, CountFreedWeightCopiesAsWeightCopies) {
  HistoryScript script;
  script.in("forward", "layers.0").allocate(5, 64).as_weight_copy();
  script.allocate(6, 64).as_weight_copy();
  script.free(6);
  const MemoryLifetimes lifetimes = lifetimes_in(script, {{}, {}, true});
  EXPECT_EQ(category_at(lifetimes, 5), kWeightCopies);
  EXPECT_EQ(category_at(lifetimes, 6), kWeightCopies);
}

TEST(MemoryLifetimes, SeparateTwoUsesOfOneAddress) {
  HistoryScript script;
  script.in("forward").allocate(5, 100).free(5).allocate(5, 200);
  const MemoryLifetimes lifetimes = lifetimes_in(script);
  ASSERT_EQ(lifetimes.all.size(), 2u);
  EXPECT_EQ(lifetimes.all[0].freed_event, 2u);
  EXPECT_EQ(lifetimes.all[1].made_event, 3u);
  EXPECT_FALSE(lifetimes.all[1].freed_event);
}

TEST(MemoryLifetimes, BeginBeforeTheHistoryIfOnlyAFreeIsKnown) {
  HistoryScript script;
  script.in("backward").allocate(5, 100).free(77, 300);
  const MemoryLifetimes lifetimes = lifetimes_in(script);
  const MemoryLifetime& unknown_block = lifetimes.all.back();
  EXPECT_EQ(unknown_block.made_event, 0u);
  EXPECT_EQ(unknown_block.freed_event, 2u);
  EXPECT_EQ(unknown_block.requested_bytes, 300);
  EXPECT_EQ(unknown_block.category, kUnknown);
  EXPECT_EQ(lifetimes.lost_events, 1);
}

TEST(MemoryLifetimes, CountASecondAllocationAtAnAddressAsLostEvent) {
  HistoryScript script;
  script.in("forward").allocate(5, 100).allocate(5, 200);
  const MemoryLifetimes lifetimes = lifetimes_in(script);
  EXPECT_EQ(lifetimes.all[0].freed_event, 2u);
  EXPECT_EQ(lifetimes.lost_events, 1);
}

TEST(MemoryLifetimes, HaveNoCategoryForOtherResidentBlocks) {
  HistoryScript script;
  script.resident(9, 4096).in("forward").allocate(5, 1);
  EXPECT_EQ(category_at(lifetimes_in(script), 9), kUnknown);
}

TEST(MemoryLifetimes, HaveNoCategoryBeforeTheFirstPhase) {
  HistoryScript script;
  script.in("").allocate(5, 100);
  EXPECT_EQ(category_at(lifetimes_in(script), 5), kUnknown);
}

TEST(MemoryLifetimes, CountMemoryHeldAtAFailureAsActivations) {
  HistoryScript script;
  script.in("forward", "layers.0").allocate(5, 100).allocate(6, 10).free(6).out_of_memory(1 << 30);
  const MemoryLifetimes lifetimes = lifetimes_in(script, {{}, {}, true});
  EXPECT_EQ(category_at(lifetimes, 5), kActivations);
  EXPECT_EQ(category_at(lifetimes, 6), kTemporary);
}

}  // namespace
}  // namespace labreport::lifetimes_test
