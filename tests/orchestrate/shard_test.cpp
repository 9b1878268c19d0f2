// Tests how a plan is divided: which cells stay together, which part measures them, and the
// speedup.
#include "orchestrate/shard.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "orchestrate/run_fixture.h"

namespace labreport::shard_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

CellSpec cell_of_kind(CellKind kind, std::int64_t context) {
  CellSpec spec = fake_cell("good", context);
  spec.kind = kind;
  return spec;
}

TEST(Groups, JoinTimingsOfOneNetworkAndContext) {
  CellSpec other = cell_of_kind(CellKind::kTiming, 16);
  other.precision = Precision::kBf16;
  other.mode = Mode::kTrainStep;
  other.implementation = "Net-0a1b2c3d";
  EXPECT_EQ(shard_group(other), shard_group(cell_of_kind(CellKind::kTiming, 16)));
  EXPECT_NE(shard_group(other), shard_group(cell_of_kind(CellKind::kTiming, 32)));
}

TEST(Groups, JoinProfilesOfOneNetwork) {
  CellSpec larger = cell_of_kind(CellKind::kKernels, 32);
  EXPECT_EQ(shard_group(larger), shard_group(cell_of_kind(CellKind::kKernels, 16)));
  larger.model->d_model *= 2;
  EXPECT_NE(shard_group(larger), shard_group(cell_of_kind(CellKind::kKernels, 16)));
}

TEST(Groups, JoinAllCellsOfKindsWhosePlansReadResults) {
  for (const CellKind kind : {CellKind::kMemory, CellKind::kLadder, CellKind::kCheckpointing}) {
    CellSpec larger = cell_of_kind(kind, 32);
    larger.model->d_model *= 2;
    EXPECT_EQ(shard_group(larger), shard_group(cell_of_kind(kind, 16)));
  }
}

TEST(Groups, JoinAllCellsWithRanks) {
  CellSpec reduce;
  reduce.kind = CellKind::kAllReduce;
  CellSpec step = cell_of_kind(CellKind::kDataParallel, 16);
  reduce.ranks = step.ranks = Ranks{2, Collectives::kGloo};
  EXPECT_EQ(shard_group(reduce), shard_group(step));
}

TEST(Partition, TakesTheLongestGroupFirst) {
  const auto parts = partition({{"a", 1}, {"b", 2}, {"c", 5}, {"a", 2}, {"d", 4}}, 2);
  EXPECT_EQ(parts, (std::map<std::string, std::size_t>{{"c", 0}, {"d", 1}, {"a", 1}, {"b", 0}}));
}

TEST(Partition, DistributesGroupsOfUnknownTime) {
  const auto parts = partition({{"a", 0}, {"b", 0}, {"c", 0}}, 3);
  EXPECT_EQ(parts, (std::map<std::string, std::size_t>{{"a", 0}, {"b", 1}, {"c", 2}}));
}

std::vector<std::pair<CellSpec, double>> cells_with_seconds(const std::vector<double>& seconds) {
  std::vector<std::pair<CellSpec, double>> cells;
  for (const double each : seconds) {
    cells.emplace_back(fake_cell("good", static_cast<std::int64_t>(16 + cells.size())), each);
  }
  return cells;
}

TEST(Shards, FourTasksAreThreePointFourTimesAsFast) {
  const auto cells = cells_with_seconds({22, 17, 13, 11, 9, 7, 6, 5, 4, 3, 2, 1});
  const double sum_over_largest = 100.0 / 22;
  const Shards shards(cells, 4);
  EXPECT_GE(shards.speedup(), 3.4);
  EXPECT_NEAR(shards.max_speedup(), sum_over_largest, 1e-9);
  EXPECT_NEAR(Shards(cells, 12).speedup(), sum_over_largest, 1e-9) << "with a task for each group";
}

TEST(Shards, MeasureEachCellOnceAndLimitsInEveryPart) {
  CellSpec limits;
  limits.kind = CellKind::kLimits;
  auto cells = cells_with_seconds({4, 3, 2, 1});
  cells.emplace_back(limits, 1.0);
  std::vector<PlannedCell> planned;
  for (const auto& [spec, seconds] : cells) planned.push_back({spec, 1});
  const Shards shards(cells, 2);
  EXPECT_NEAR(shards.speedup(), 11.0 / 6, 1e-9) << "each part takes 5 s and 1 s for limits";
  std::multiset<std::string> measured;
  for (const std::int64_t number : {1, 2}) {
    const auto part = shards.part(planned, number);
    EXPECT_THAT(part, SizeIs(3));
    for (const PlannedCell& cell : part) measured.insert(cell_id(cell.spec));
  }
  for (const PlannedCell& cell : planned) {
    EXPECT_EQ(measured.count(cell_id(cell.spec)), cell.spec.kind == CellKind::kLimits ? 2u : 1u);
  }
}

TEST(Shards, RefuseEmptyParts) {
  EXPECT_THAT([] { Shards(cells_with_seconds({1, 1}), 3); },
              ThrowsMessage<InputError>(HasSubstr("3 tasks are more than the plan's 2 groups")));
}

TEST(Shards, AreNumberedFromOne) {
  EXPECT_EQ(parse_shard("2/4"), (Shard{2, 4}));
  for (const char* wrong : {"", "2", "0/4", "5/4", "1/0", "a/4", "1/4x", "-1/4", "1/99999"}) {
    EXPECT_THROW(parse_shard(wrong), InputError) << wrong;
  }
}

}  // namespace
}  // namespace labreport::shard_test
