// Tests that the ranks of a launch are started, watched and ended together, whatever one of them
// does.
#include <gmock/gmock.h>

#include <csignal>

#include "orchestrate/group.h"
#include "orchestrate/run_fixture.h"
#include "results/measured_table.h"
#include "results/metric_names.h"

namespace labreport::ranks_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

CellSpec ranks_cell(const std::string& behavior, std::int64_t count = 2,
                    DeviceKind device = DeviceKind::kCpu) {
  CellSpec spec;
  spec.kind = CellKind::kAllReduce;
  spec.device = device;
  spec.size = behavior;
  spec.ranks = Ranks{count, device == DeviceKind::kCpu ? Collectives::kGloo : Collectives::kNccl};
  // The name is no part of a cell's identity.
  spec.largest_bytes =
      1'000'000 + static_cast<std::int64_t>(std::hash<std::string>()(behavior) % 1000);
  return spec;
}

class Ranks : public RunFixture {
 protected:
  Ranks() { setup_.collective_limit_seconds = 7; }

  const Launch& measured(const CellSpec& spec) {
    EXPECT_EQ(measure({{spec, 1}, {fake_cell("good"), 1}}), PoolStatus::kComplete);
    EXPECT_TRUE(is_ok(launch("good").outcome)) << "the run goes on";
    return run_.find(cell_id(spec))->launches.at(0);
  }

  template <typename Kind>
  Kind outcome(const std::string& behavior) {
    return std::get<Kind>(measured(ranks_cell(behavior)).outcome);
  }

  void have_gpus(std::size_t slots, std::size_t rank_only_slots) {
    setup_.slots.clear();
    for (std::size_t i = 0; i < slots + rank_only_slots; ++i) {
      auto& into = i < slots ? setup_.slots : setup_.rank_only_slots;
      into.push_back({"GPU-" + std::to_string(i), {}, 1LL << 40, true});
    }
  }
};

TEST_F(Ranks, AreOneLaunchWithTheNumbersOfRank0) {
  const Launch& launch = measured(ranks_cell("good", 3));
  EXPECT_TRUE(is_ok(launch.outcome));
  EXPECT_THAT(measured_rows(launch, metric::kAllReduce), SizeIs(3u * 11)) << "3 ranks, 11 sizes";
  EXPECT_EQ(launch.find(metric::kAllReduce, "1000000.2")->numbers().size(), 3u);
}

TEST_F(Ranks, NameTheRankThatDied) {
  const auto crash = outcome<Crashed>("segv@hangs");
  EXPECT_EQ(crash.signal, SIGSEGV);
  EXPECT_EQ(crash.rank, 1);
  EXPECT_THAT(describe(Outcome(crash)), HasSubstr("rank 1: crashed: signal 11"));
}

TEST_F(Ranks, BlameTheDeadRankAndNotTheWaitingOnes) {
  EXPECT_EQ(outcome<Crashed>("segv@gives_up").rank, 1);
  EXPECT_EQ(outcome<Crashed>("killed@watchdog").rank, 1);
  EXPECT_EQ(outcome<Failed>("status7@gives_up").rank, 1);
}

TEST_F(Ranks, NameTheRankThatRanOutOfMemory) {
  const auto oom = outcome<OutOfMemory>("oom@gives_up");
  EXPECT_EQ(oom.rank, 1);
  EXPECT_EQ(oom.requested_bytes, 2LL << 30);
}

TEST_F(Ranks, BlameTheRankThatHangs) {
  for (const char* behavior : {"hangs@gives_up", "stubborn@gives_up", "hangs@watchdog"}) {
    const auto timeout = outcome<TimedOut>(behavior);
    EXPECT_EQ(timeout.rank, 1) << behavior;
    EXPECT_EQ(timeout.limit_seconds, 7) << "the group's own";
    EXPECT_TRUE(run_.find(cell_id(ranks_cell(behavior)))->launches.at(0).warnings.empty());
  }
}

TEST_F(Ranks, AllWaitingInCollectivesMadeDifferentOnes) {
  EXPECT_THAT(outcome<Failed>("watchdog@watchdog").message,
              HasSubstr("a collective waited 7 s for another rank"));
}

TEST_F(Ranks, EndAtTheLaunchsLimitIfAllHang) {
  setup_.worker.min_limit_seconds = 0.4;
  const auto timeout = outcome<TimedOut>("hangs@hangs");
  EXPECT_EQ(timeout.limit_seconds, 0.4);
  EXPECT_FALSE(timeout.rank) << "nobody knows which";
}

TEST_F(Ranks, NameTheRankWithoutAResult) {
  const auto failure = outcome<Failed>("nothing@good");
  EXPECT_EQ(failure.message, "the worker left no result");
  EXPECT_EQ(failure.rank, 1);
}

TEST_F(Ranks, AreSkippedWhereTheHostHasFewerGpus) {
  have_gpus(1, 0);
  const Launch& launch = measured(ranks_cell("good", 2, DeviceKind::kCuda));
  EXPECT_EQ(std::get<Skipped>(launch.outcome).reason, "this host has 1 GPU");
}

TEST_F(Ranks, UseRankOnlyGpus) {
  have_gpus(1, 1);
  const Launch& launch = measured(ranks_cell("good", 2, DeviceKind::kCuda));
  EXPECT_TRUE(is_ok(launch.outcome));
  EXPECT_TRUE(launch.find_condition(metric::kRank, "1")) << "which GPU it had";
  EXPECT_EQ(run_.devices.size(), 2u) << "the first GPU, and the CPU of the other cell";
}

TEST_F(Ranks, AreAllEndedByAnInterrupt) {
  display_.on_start = [] { kill(getpid(), SIGINT); };
  EXPECT_EQ(measure({{ranks_cell("hangs@hangs"), 1}}), PoolStatus::kInterrupted);
  EXPECT_TRUE(store_.load().cells.at(0).launches.empty());
}

TEST(RankSlots, ListTheRanksOwnGpuFirst) {
  const std::vector<Slot> taken{{"a", {0, 1}, 1, true}, {"b", {2, 3}, 1, true}, {"c", {}, 1, true}};
  std::vector<std::string> seen;
  for (const Slot& slot : rank_slots(ranks_cell("x", 3, DeviceKind::kCuda), taken)) {
    seen.push_back(slot.gpu_uuids);
  }
  EXPECT_THAT(seen, ElementsAre("a,b,c", "b,a,c", "c,a,b"));
}

TEST(RankSlots, ListTheGpusOfAUsersStepInOrder) {
  CellSpec spec = ranks_cell("", 2, DeviceKind::kCuda);
  spec.scheme = Scheme::kOwnStep;
  for (const Slot& slot : rank_slots(spec, {{"GPU-a", {}}, {"GPU-b", {}}, {"GPU-c", {}}}))
    EXPECT_EQ(slot.gpu_uuids, "GPU-a,GPU-b");
}

TEST(RankResults, TellWhereAStoppedRankStood) {
  const std::string messages =
      "Current thread 0x1 (most recent call first):\n"
      "  File \"lib/torch/distributed/distributed_c10d.py\", line 2806 in all_reduce\n"
      "  File \"ada/train.py\", line 31 in average\n"
      "  File \"bin/labreport_step.py\", line 200 in step\n";
  EXPECT_EQ(place_of_user_code(messages), "train.py:31, in average");
  EXPECT_EQ(place_of_user_code("Killed"), "");
}

TEST(RankResults, TellInOneLineThatGlooAbortedARank) {
  CompletedProcess process;
  process.signal = SIGABRT;
  process.messages =
      "terminate called after throwing an instance of 'gloo::EnforceNotMet'\n"
      "  what():  [enforce fail at pair.cc:456] op.preamble.length <= op.nbytes. 60 vs 20.\n"
      "Fatal Python error: Aborted\n\nThread 0x1 (most recent call first):\n"
      "  File \"lib/torch/distributed/distributed_c10d.py\", line 3075 in all_reduce\n"
      "  File \"ada/train.py\", line 31 in average\n";
  LaunchResult result;
  result.launch.outcome = Crashed{SIGABRT, process.messages};
  EXPECT_EQ(describe(rank_result(result, process, false).result.launch.outcome),
            "failed: Gloo ended it at train.py:31, in average: it received more bytes than it "
            "expected, so the ranks' collectives differ in kind, order or size");
}

TEST(RankSlots, DivideTheCoresOfTheCpu) {
  const std::vector<Slot> slots = rank_slots(ranks_cell("x", 2), {Slot{}});
  ASSERT_EQ(slots.size(), 2u);
  for (const int core : slots[0].cores) {
    EXPECT_THAT(slots[1].cores, testing::Not(testing::Contains(core)));
  }
  EXPECT_EQ(slots[0].cores.size(), slots[1].cores.size());
}

TEST(RankSlots, RefusalsNameTheAvailableGpus) {
  const CellSpec pair = ranks_cell("x", 2, DeviceKind::kCuda);
  const std::vector<Slot> one{{"a", {}, 1, true}};
  EXPECT_EQ(too_few_slots(pair, one), "this host has 1 GPU");
  EXPECT_EQ(too_few_slots(pair, one, /*gpus_are_named=*/true), "--gpus names 1 GPU");
  EXPECT_THAT(*too_few_slots(pair, {Slot{"a", {}, 1, false}}), HasSubstr("MIG"));
  EXPECT_FALSE(too_few_slots(pair, {one[0], one[0]}));
  EXPECT_FALSE(too_few_slots(ranks_cell("x", 6), {Slot{}})) << "a CPU takes any number";
}

}  // namespace
}  // namespace labreport::ranks_test
