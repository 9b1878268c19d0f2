// Categories and the curve over a step of two layers that an H200 ran, against what its allocator
// counted. The fixture has only one of several equal lifetimes that do not reach the peak.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "measure/memory/timeline.h"

namespace labreport::recorded_history_test {
namespace {

/// The allocator's own statistic of the recorded step.
constexpr std::int64_t kPeakRequested = 213'559'300;

struct Row {
  std::int64_t requested, block;
  std::size_t made;
  std::optional<std::size_t> freed;
  std::string category;
  MemoryOrigin born, died;
};

std::vector<Row> recorded() {
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
    if (!cells[3].empty()) row.freed = std::stoull(cells[3]);
    row.born = {cells[7], cells[9], cells[10], cells[11]};
    row.died.phase = cells[8];
    rows.push_back(std::move(row));
  }
  return rows;
}

MemoryCategory category_called(const std::string& wanted) {
  return *std::ranges::find_if(kMemoryCategories,
                               [&](MemoryCategory category) { return name(category) == wanted; });
}

/// True for storages that the program names; the use of others has to be found.
bool held_by_name(const std::string& category) {
  return category != "activations" && category != "temporary" && category != "weight_copies" &&
         category != "unknown";
}

/// The history and the knowledge from which the rows were found; each lifetime has an address of
/// its own.
struct Reconstructed {
  MemoryHistory history;
  KnownMemory known;

  explicit Reconstructed(const std::vector<Row>& rows) {
    known.graph = true;
    std::size_t last = 0;
    for (const Row& row : rows) last = std::max({last, row.made, row.freed.value_or(0)});
    history.events.resize(last, MemoryEvent{.kind = MemoryEventKind::kSegment});
    for (std::size_t i = 0; i < rows.size(); ++i) add(rows[i], i + 1);
  }

  void add(const Row& row, std::uint64_t address) {
    const bool named = held_by_name(row.category);
    if (row.made == 0) history.resident.push_back({address, row.requested, row.block});
    if (row.made == 0 && named) known.before[address] = category_called(row.category);
    if (!row.freed && named) known.after[address] = category_called(row.category);
    if (row.made > 0) put(row.made, MemoryEventKind::kAllocation, row, row.born, address);
    if (row.freed) put(*row.freed, MemoryEventKind::kFree, row, row.died, address);
  }

  void put(std::size_t number, MemoryEventKind kind, const Row& row, const MemoryOrigin& origin,
           std::uint64_t address) {
    history.origins.push_back(origin);
    history.events[number - 1] = {kind,
                                  address,
                                  row.requested,
                                  row.block,
                                  static_cast<std::int64_t>(number),
                                  history.origins.size() - 1,
                                  row.category == "weight_copies"};
  }
};

TEST(RecordedHistory, EveryAllocationIsFoundToBeForWhatItWas) {
  const std::vector<Row> rows = recorded();
  const Reconstructed step(rows);
  std::map<std::string, int> counts;
  for (const MemoryLifetime& lifetime : lifetimes_of(step.history, step.known).lifetimes) {
    const Row& row = rows[lifetime.address - 1];
    EXPECT_EQ(name(lifetime.category), row.category) << row.born.module << ' ' << row.born.op;
    ++counts[row.category];
  }
  EXPECT_EQ(counts["unknown"], 0);
  EXPECT_GT(counts["activations"], 50);
  EXPECT_GT(counts["weight_copies"], 7 * 2);
}

TEST(RecordedHistory, TheCurvesPeakIsTheAllocatorsStatistic) {
  const Reconstructed step(recorded());
  const MemoryTimeline timeline = timeline_of(step.history, step.known);
  EXPECT_EQ(timeline.instants[timeline.peak].total(), kPeakRequested);
  EXPECT_EQ(timeline.found.lost, 0);
}

}  // namespace
}  // namespace labreport::recorded_history_test
