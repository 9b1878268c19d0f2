// One plan, several tasks: which cells stay together, what a run lacks, and a launch kept once.
#include "orchestrate/shared_run.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "orchestrate/affinity.h"
#include "orchestrate/run_fixture.h"

namespace labreport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

CellSpec of_kind(CellKind kind, std::int64_t context) {
  CellSpec spec = fake_cell("good", context);
  spec.kind = kind;
  return spec;
}

TEST(Affinity, TimingsOfOneNetworkAndContextStayTogetherInEveryModeAndPrecision) {
  CellSpec other = of_kind(CellKind::kTiming, 16);
  other.precision = Precision::kBf16;
  other.mode = Mode::kTrainStep;
  other.implementation = "Net-0a1b2c3d";
  EXPECT_EQ(affinity_group(other), affinity_group(of_kind(CellKind::kTiming, 16)));
  EXPECT_NE(affinity_group(other), affinity_group(of_kind(CellKind::kTiming, 32)));
}

TEST(Affinity, ProfilesAndMemoryOfOneNetworkStayTogetherAtEveryContext) {
  for (const CellKind kind : {CellKind::kKernels, CellKind::kMemory}) {
    EXPECT_EQ(affinity_group(of_kind(kind, 16)), affinity_group(of_kind(kind, 32)));
  }
  EXPECT_NE(affinity_group(of_kind(CellKind::kKernels, 16)),
            affinity_group(of_kind(CellKind::kMemory, 16)));
}

TEST(Affinity, LimitsAreNoGroupToShare) {
  CellSpec limits;
  limits.kind = CellKind::kLimits;
  EXPECT_EQ(group_count({{limits, 1}, {fake_cell("good"), 1}}), 1u);
}

TEST(Shards, AreNumberedFromOne) {
  EXPECT_EQ(parse_shard("2/4"), (Shard{2, 4}));
  for (const char* wrong : {"", "2", "0/4", "5/4", "1/0", "a/4", "1/4x", "-1/4", "1/99999"}) {
    EXPECT_THROW(parse_shard(wrong), InputError) << wrong;
  }
}

TEST(Shards, AreTakenFromASessionsCommand) {
  Session session;
  EXPECT_FALSE(shard_of(session));
  session.argv = {"labreport", "run", "--shard", "2/4"};
  EXPECT_EQ(shard_of(session), (Shard{2, 4}));
  session.argv = {"labreport", "run", "--shard=3/4"};
  EXPECT_EQ(shard_of(session), (Shard{3, 4}));
}

TEST(Shards, ThatAreMissingAreNamed) {
  labreport::Run run;
  run.sessions.resize(2);
  run.sessions[0].argv = {"labreport", "run", "--shard", "1/3"};
  run.sessions[1].argv = {"labreport", "run", "--shard", "2/3"};
  EXPECT_EQ(missing_shards(run, {"shard 2/3", "shard 2/3"}),
            "shard 3/3 never began and shard 2/3 did not finish");
}

class Sharing : public RunFixture {
 protected:
  SharedSetup setup(std::int64_t number) {
    SharedSetup shared{setup_, {number, 2}, std::chrono::seconds(60)};
    return shared;
  }
  labreport::Run head(std::int64_t number) {
    labreport::Run head = run_;
    head.sessions.front().argv = {"labreport", "run", "--shard", std::to_string(number) + "/2"};
    return head;
  }
  std::vector<PlannedCell> cells_{{fake_cell("good", 16), 2}, {fake_cell("good", 32), 1}};
  PlanCells plan_ = [this](const labreport::Run&) { return cells_; };
};

TEST_F(Sharing, TheLastTaskMergesARunLikeAnyOther) {
  EXPECT_EQ(SharedRun(folder_, head(1), setup(1), plan_, progress_).measure(), RunEnd::kComplete);
  EXPECT_FALSE(store_.is_shared());
  const labreport::Run run = store_.load();
  ASSERT_THAT(run.cells, SizeIs(2));
  EXPECT_EQ(run.cells[0].id, cell_id(cells_[0].spec));
  EXPECT_THAT(run.cells[0].launches, SizeIs(2));
  EXPECT_FALSE(std::filesystem::exists(store_.cells_folder()));
  EXPECT_EQ(progress_.lines.back().standing.done, 3u);
}

TEST_F(Sharing, ALaunchThatIsKeptIsNeitherReplacedNorMeasuredAgain) {
  share_run(store_, head(1));
  const SessionStore first(folder_, head(1));
  const SessionStore second(folder_, head(2));
  EXPECT_EQ(second.session(), 1u);
  labreport::Run run = store_.load();
  Cell& cell = run.find_or_add(cells_[1].spec);
  cell.launches.emplace_back();
  cell.launches.back().outcome = Skipped{"the first"};
  first.save_launch(run, cell, 0);
  cell.launches.back().outcome = Skipped{"the second"};
  EXPECT_THROW(second.save_launch(run, cell, 0), TakenOver);
  SharedRun(folder_, head(2), setup(2), plan_, progress_).measure();
  const labreport::Run merged = store_.load();
  const Launch& kept = merged.find(cell.id)->launches.at(0);
  EXPECT_EQ(describe(kept.outcome), describe(Outcome(Skipped{"the first"})));
  EXPECT_THAT(progress_.lines, SizeIs(2));
}

TEST_F(Sharing, AFailureThatTheSameShardLeftLastIsMeasuredAgain) {
  share_run(store_, head(1));
  const SessionStore former(folder_, head(1));
  labreport::Run run = store_.load();
  for (const PlannedCell& planned : cells_) {
    Cell& cell = run.find_or_add(planned.spec);
    cell.launches.emplace_back();
    cell.launches.back().outcome = Crashed{15, ""};
    former.save_launch(run, cell, 0);
  }
  SharedRun(folder_, head(1), setup(1), plan_, progress_).measure();
  const labreport::Run merged = store_.load();
  for (const Cell& cell : merged.cells) {
    for (const Launch& launch : cell.launches) EXPECT_TRUE(is_ok(launch.outcome)) << cell.id;
  }
}

TEST_F(Sharing, AnotherShardsFailureIsARow) {
  share_run(store_, head(1));
  const SessionStore other(folder_, head(2));
  labreport::Run run = store_.load();
  Cell& cell = run.find_or_add(cells_[1].spec);
  cell.launches.emplace_back();
  cell.launches.back().outcome = Crashed{15, ""};
  other.save_launch(run, cell, 0);
  SharedRun(folder_, head(1), setup(1), plan_, progress_).measure();
  const labreport::Run merged = store_.load();
  EXPECT_TRUE(is_failure(merged.find(cell.id)->launches.at(0).outcome));
}

TEST_F(Sharing, MissingLaunchesAreCounted) {
  EXPECT_EQ(missing_launches(cells_, labreport::Run()), 3u);
  SharedRun(folder_, head(1), setup(1), plan_, progress_).measure();
  EXPECT_EQ(missing_launches(cells_, store_.load()), 0u);
}

}  // namespace
}  // namespace labreport
