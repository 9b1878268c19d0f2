#include "measure/memory/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "measure/memory/history_script.h"

namespace labreport::timeline_test {
namespace {

std::int64_t requested_in(const MemoryInstant& instant, MemoryCategory category) {
  return instant.requested_bytes[static_cast<std::size_t>(category)];
}

TEST(MemoryTimeline, BeginsWithResidentBlocks) {
  const HistoryScript script = one_block_step();
  const MemoryTimeline timeline = timeline_of(script.history, known_in_one_block_step());
  const MemoryInstant& first = timeline.instants.front();
  EXPECT_EQ(first.event_number, 0u);
  EXPECT_EQ(requested_in(first, MemoryCategory::kParameters), 1000);
  EXPECT_EQ(requested_in(first, MemoryCategory::kOptimizer), 2000);
  EXPECT_EQ(first.allocated_bytes, 1024 + 2048);
  EXPECT_EQ(timeline.origin(first), nullptr);
}

TEST(MemoryTimeline, CategoriesAddUpAfterEachEvent) {
  const HistoryScript script = one_block_step();
  const MemoryTimeline timeline = timeline_of(script.history, known_in_one_block_step());
  const MemoryInstant& last = timeline.instants.back();
  EXPECT_EQ(requested_in(last, MemoryCategory::kParameters), 1000);
  EXPECT_EQ(requested_in(last, MemoryCategory::kGradients), 1000);
  EXPECT_EQ(requested_in(last, MemoryCategory::kOptimizer), 2000);
  EXPECT_EQ(last.total_requested(), 4000);
}

TEST(MemoryTimeline, ThePeakIsTheFirstHighestInstant) {
  HistoryScript script;
  script.in("forward").allocate(1, 100).allocate(2, 50).free(2).allocate(3, 50).free(1);
  const MemoryTimeline timeline = timeline_of(script.history, {});
  EXPECT_EQ(timeline.peak_index, 2u);
  EXPECT_EQ(timeline.instants[timeline.peak_index].total_requested(), 150);
}

TEST(MemoryTimeline, LeavesSegmentsOut) {
  HistoryScript script;
  script.in("forward").allocate(1, 100);
  script.history.events.front().kind = MemoryEventKind::kSegment;
  script.allocate(1, 100);
  const MemoryTimeline timeline = timeline_of(script.history, {});
  ASSERT_EQ(timeline.instants.size(), 2u);
  EXPECT_EQ(timeline.instants[1].event_number, 2u);
}

TEST(MemoryTimeline, HasOneInstantForAnEmptyHistory) {
  HistoryScript script;
  script.resident(1, 100);
  const MemoryTimeline timeline = timeline_of(script.history, {});
  ASSERT_EQ(timeline.instants.size(), 1u);
  EXPECT_EQ(timeline.peak_index, 0u);
}

/// Builds thousands of allocations in two phases: one is large, and the last one fails.
HistoryScript long_history() {
  HistoryScript script;
  script.in("forward");
  for (int i = 0; i < 3000; ++i) script.allocate(1, i == 1234 ? 5000 : 100).free(1);
  script.in("backward");
  for (int i = 0; i < 2000; ++i) script.allocate(1, 100).free(1);
  script.out_of_memory(1 << 20);
  return script;
}

TEST(Thinning, KeepsThePeakEndsOfPhasesAndTheFailure) {
  const HistoryScript script = long_history();
  const MemoryTimeline timeline = timeline_of(script.history, {});
  const auto kept = thinned_indices(timeline, 100);
  EXPECT_LE(kept.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(kept));
  // Forward has 6000 events, so backward begins with event 6001.
  for (const std::size_t index : {std::size_t{0}, timeline.peak_index, std::size_t{6000},
                                  std::size_t{6001}, timeline.instants.size() - 1}) {
    EXPECT_TRUE(std::ranges::binary_search(kept, index)) << index;
  }
}

TEST(Thinning, LeavesAShortHistoryWhole) {
  const HistoryScript script = one_block_step();
  const MemoryTimeline timeline = timeline_of(script.history, known_in_one_block_step());
  EXPECT_EQ(thinned_indices(timeline, 500).size(), timeline.instants.size());
}

}  // namespace
}  // namespace labreport::timeline_test
