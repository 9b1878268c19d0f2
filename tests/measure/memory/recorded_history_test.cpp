// Tests categories and timeline by the allocations of a step of two layers that an H200 ran. The
// fixture has only one of several equal lifetimes that end before the peak or start after it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "measure/memory/timeline.h"

namespace labreport::recorded_history_test {
namespace {

/// The peak that the allocator itself counted in that step, in bytes.
constexpr std::int64_t kPeakRequested = 213'559'300;

struct Row {
  std::int64_t requested_bytes, block_bytes;
  std::size_t made_event;  ///< From 1; 0 if made before the step.
  std::optional<std::size_t> freed_event;
  std::string category;
  MemoryOrigin made_origin, freed_origin;
};

std::vector<Row> read_recorded_lifetimes() {
  const std::string text = read_file(std::string(LABREPORT_SOURCE_DIR) +
                                     "/tests/fixtures/histories/h200-two-layers-bf16.csv");
  std::vector<Row> rows;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = split(line, ',');
    Row row{
        std::stoll(cells[0]), std::stoll(cells[1]), std::stoull(cells[2]), {}, cells[4], {}, {}};
    if (!cells[3].empty()) row.freed_event = std::stoull(cells[3]);
    row.made_origin = {cells[7], cells[9], cells[10], cells[11]};
    row.freed_origin.phase = cells[8];
    rows.push_back(std::move(row));
  }
  return rows;
}

MemoryCategory category_called(const std::string& category_name) {
  return *std::ranges::find_if(
      kMemoryCategories, [&](MemoryCategory category) { return name(category) == category_name; });
}

/// True for categories that `KnownMemory` gives; lifetimes_of() has to find the others.
bool is_known_category(const std::string& category) {
  return category != "activations" && category != "temporary" && category != "weight_copies" &&
         category != "unknown";
}

/// Rebuilds the history and the known storages from the rows. Each lifetime gets its own address.
struct ReconstructedStep {
  MemoryHistory history;
  KnownMemory known;

  explicit ReconstructedStep(const std::vector<Row>& rows) {
    known.builds_autograd_graph = true;
    std::size_t last_event = 0;
    for (const Row& row : rows)
      last_event = std::max({last_event, row.made_event, row.freed_event.value_or(0)});
    history.events.resize(last_event, MemoryEvent{.kind = MemoryEventKind::kSegment});
    for (std::size_t i = 0; i < rows.size(); ++i) add(rows[i], i + 1);
  }

  void add(const Row& row, std::uint64_t address) {
    const bool is_known = is_known_category(row.category);
    if (row.made_event == 0)
      history.resident_blocks.push_back({address, row.requested_bytes, row.block_bytes});
    if (row.made_event == 0 && is_known) known.at_start[address] = category_called(row.category);
    if (!row.freed_event && is_known) known.at_end[address] = category_called(row.category);
    if (row.made_event > 0)
      put(row.made_event, MemoryEventKind::kAllocation, row, row.made_origin, address);
    if (row.freed_event)
      put(*row.freed_event, MemoryEventKind::kFree, row, row.freed_origin, address);
  }

  void put(std::size_t number, MemoryEventKind kind, const Row& row, const MemoryOrigin& origin,
           std::uint64_t address) {
    history.origins.push_back(origin);
    history.events[number - 1] = {kind,
                                  address,
                                  row.requested_bytes,
                                  row.block_bytes,
                                  static_cast<std::int64_t>(number),
                                  history.origins.size() - 1,
                                  row.category == "weight_copies"};
  }
};

TEST(RecordedHistory, EveryAllocationGetsItsCategory) {
  const std::vector<Row> rows = read_recorded_lifetimes();
  const ReconstructedStep step(rows);
  std::map<std::string, int> counts;
  for (const MemoryLifetime& lifetime : lifetimes_of(step.history, step.known).all) {
    const Row& row = rows[lifetime.address - 1];
    EXPECT_EQ(name(lifetime.category), row.category)
        << row.made_origin.module << ' ' << row.made_origin.inner_op;
    ++counts[row.category];
  }
  EXPECT_EQ(counts["unknown"], 0);
  EXPECT_GT(counts["activations"], 50);
  EXPECT_GT(counts["weight_copies"], 7 * 2);
}

TEST(RecordedHistory, PeakEqualsTheAllocatorsStatistic) {
  const ReconstructedStep step(read_recorded_lifetimes());
  const MemoryTimeline timeline = timeline_of(step.history, step.known);
  EXPECT_EQ(timeline.instants[timeline.peak_index].total_requested(), kPeakRequested);
  EXPECT_EQ(timeline.lifetimes.lost_events, 0);
}

}  // namespace
}  // namespace labreport::recorded_history_test
