// Tests that whatever a bad worker does becomes the outcome of its cell, and that the run
// continues.
#include <gmock/gmock.h>

#include <csignal>

#include "base/error.h"
#include "orchestrate/run_fixture.h"

namespace labreport::bad_worker_test {
namespace {

using testing::HasSubstr;

class BadWorker : public RunFixture {
 protected:
  /// Measures one launch with this behavior and returns its outcome.
  template <typename Kind>
  Kind outcome(const std::string& behavior) {
    EXPECT_EQ(measure({{fake_cell(behavior), 1}, {fake_cell("good"), 1}}), PoolStatus::kComplete);
    EXPECT_TRUE(is_ok(launch("good").outcome)) << "the run goes on";
    return std::get<Kind>(launch(behavior).outcome);
  }
};

TEST_F(BadWorker, OutOfMemoryIsAResult) {
  const auto oom = outcome<OutOfMemory>("oom");
  EXPECT_EQ(oom.phase, "backward");
  EXPECT_EQ(oom.requested_bytes, 2LL << 30);
}

TEST_F(BadWorker, FaultyResultsAreErrors) {
  for (const auto& [behavior, said] : {
           std::pair{"throws", "shape mismatch"},
           {"status7", "the worker ended with exit status 7: what(): no such kernel"},
           {"nothing", "the worker left no result"},
           {"garbage", "the worker's result"},
           {"half", "the worker's result"},
           {"wrong_json", "the worker's result"},
           {"deep_json", "the worker's result"},
           {"another", "another cell: timing.cuda.other"},
           {"another_launch", "the worker answered for launch 1 instead of 0"},
           {"endless_result", "too large"},
           {"pipe_result", "the worker's result is no plain file"},
           {"link_result", "the worker's result is no plain file"},
           {"loop_result", "the worker's result is no plain file"},
           {"folder_result", "the worker's result is no plain file"},
       }) {
    EXPECT_THAT(outcome<Failed>(behavior).message, HasSubstr(said)) << behavior;
  }
}

TEST_F(BadWorker, ASignalIsACrashWithTheLastMessages) {
  for (const auto& [behavior, signal, said] :
       {std::tuple{"segv", SIGSEGV, "about to touch nothing?"},
        {"aborts", SIGABRT, "terminate called after throwing"},
        {"killed", SIGKILL, ""}}) {
    const auto crash = outcome<Crashed>(behavior);
    EXPECT_EQ(crash.signal, signal) << behavior;
    EXPECT_THAT(crash.message, HasSubstr(said));
  }
}

TEST_F(BadWorker, HangIsATimeout) {
  setup_.worker.min_limit_seconds = 0.3;
  EXPECT_EQ(outcome<TimedOut>("hangs").limit_seconds, 0.3);
}

TEST_F(BadWorker, HangThatIgnoresSigtermIsATimeout) {
  setup_.worker.min_limit_seconds = 2;  // time to report that it ignores the signal
  outcome<TimedOut>("stubborn");
}

TEST_F(BadWorker, EndlessMessagesAreATimeout) {
  setup_.worker.min_limit_seconds = 0.5;
  outcome<TimedOut>("endless");
}

TEST_F(BadWorker, TheLimitGrowsWithTheEstimate) {
  setup_.worker.min_limit_seconds = 0.1;
  setup_.worker.limit_per_estimate = 0.5;
  EXPECT_EQ(outcome<TimedOut>("hangs").limit_seconds, 0.5) << "a launch is estimated at a second";
}

TEST_F(BadWorker, HugeMessagesDoNoHarm) { outcome<Ok>("noise"); }

TEST_F(BadWorker, DeathAfterAGoodResultIsAWarning) {
  outcome<Ok>("dies_after");
  ASSERT_EQ(launch("dies_after").warnings.size(), 1u);
  EXPECT_EQ(launch("dies_after").warnings[0],
            "the worker died of signal 6 (Aborted) after its result was complete");
}

TEST_F(BadWorker, HangAfterAGoodResultIsAWarning) {
  setup_.worker.min_limit_seconds = 3;  // time for its result
  outcome<Ok>("hangs_after");
  EXPECT_THAT(launch("hangs_after").warnings.at(0), HasSubstr("time limit"));
}

TEST_F(BadWorker, LeftoverChildrenDoNotHoldUpTheRun) {
  outcome<Ok>("leaves_child");
  EXPECT_LT(launch("leaves_child").wall_ns, 30'000'000'000);
}

TEST_F(BadWorker, AnUnusableDeviceEndsTheRun) {
  try {
    measure({{fake_cell("no_device"), 1}, {fake_cell("good"), 1}});
    FAIL() << "went on";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the driver is too old"));
    EXPECT_THAT(error.what(), HasSubstr("labreport doctor"));
  }
}

TEST(Judge, ReportsAKillForLackOfHostMemory) {
  CompletedProcess process;
  process.signal = SIGKILL;
  process.peak_bytes = 3LL << 30;
  const LaunchResult result =
      judge_launch({fake_cell("good"), 0, 0}, "/nowhere/result.json", process, 30, true);
  EXPECT_EQ(std::get<Crashed>(result.launch.outcome).message,
            "the kernel killed it for want of host memory, of which it held 3.00 GiB");
}

}  // namespace
}  // namespace labreport::bad_worker_test
