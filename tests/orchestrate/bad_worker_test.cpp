// Real bad children: whatever a worker does, it becomes its cell's outcome and the run goes on.
#include <gmock/gmock.h>

#include <csignal>

#include "base/error.h"
#include "orchestrate/run_fixture.h"

namespace labreport {
namespace {

using testing::HasSubstr;

class BadWorker : public RunFixture {
 protected:
  /// The outcome of one launch of that behavior.
  template <typename Kind>
  Kind outcome(const std::string& behavior) {
    EXPECT_EQ(measure({{fake_cell(behavior), 1}, {fake_cell("good"), 1}}), RunEnd::kComplete);
    EXPECT_TRUE(is_ok(launch("good").outcome)) << "the run goes on";
    return std::get<Kind>(launch(behavior).outcome);
  }
};

TEST_F(BadWorker, OutOfMemoryIsAResult) {
  const auto oom = outcome<OutOfMemory>("oom");
  EXPECT_EQ(oom.phase, "backward");
  EXPECT_EQ(oom.requested_bytes, 2LL << 30);
}

TEST_F(BadWorker, ExceptionIsAnErrorWithItsMessage) {
  EXPECT_EQ(outcome<Failed>("throws").message, "shape mismatch");
}

TEST_F(BadWorker, ExitStatusIsAnErrorWithTheLastWords) {
  EXPECT_EQ(outcome<Failed>("status7").message,
            "the worker ended with exit status 7: what(): no such kernel");
}

TEST_F(BadWorker, SignalIsACrashWithTheLastWords) {
  const auto crash = outcome<Crashed>("segv");
  EXPECT_EQ(crash.signal, SIGSEGV);
  EXPECT_EQ(crash.message, "about to touch nothing?");
}

TEST_F(BadWorker, SilentDeathIsACrash) { EXPECT_EQ(outcome<Crashed>("killed").signal, SIGKILL); }

TEST_F(BadWorker, HangIsATimeout) {
  setup_.worker.limit_seconds = 0.3;
  EXPECT_EQ(outcome<TimedOut>("hangs").limit_seconds, 0.3);
}

TEST_F(BadWorker, HangThatIgnoresSigtermIsATimeout) {
  setup_.worker.limit_seconds = 2;  // for it to say that it ignores the signal
  outcome<TimedOut>("stubborn");
}

TEST_F(BadWorker, NoResultIsAnError) {
  EXPECT_EQ(outcome<Failed>("nothing").message, "the worker left no result");
}

TEST_F(BadWorker, WhatIsNoResultIsAnError) {
  for (const char* how : {"garbage", "half", "wrong_json", "deep_json"}) {
    EXPECT_THAT(outcome<Failed>(how).message, HasSubstr("the worker's result")) << how;
  }
}

TEST_F(BadWorker, AnotherCellsResultIsAnError) {
  EXPECT_THAT(outcome<Failed>("another").message, HasSubstr("another cell: timing.cuda.other"));
}

TEST_F(BadWorker, AnotherLaunchsResultIsAnError) {
  EXPECT_EQ(outcome<Failed>("another_launch").message,
            "the worker answered for launch 1 instead of 0");
}

TEST_F(BadWorker, AbortIsACrash) {
  const auto crash = outcome<Crashed>("aborts");
  EXPECT_EQ(crash.signal, SIGABRT);
  EXPECT_EQ(crash.message, "terminate called after throwing");
}

TEST_F(BadWorker, AResultWithoutEndIsAnErrorThatIsNotRead) {
  EXPECT_THAT(outcome<Failed>("endless_result").message, HasSubstr("too large"));
}

TEST_F(BadWorker, AResultThatIsNoPlainFileIsAnErrorThatNobodyWaitsFor) {
  for (const char* how : {"pipe_result", "link_result", "loop_result", "folder_result"}) {
    EXPECT_EQ(outcome<Failed>(how).message, "the worker's result is no plain file") << how;
  }
}

TEST_F(BadWorker, EndlessMessagesAreATimeout) {
  setup_.worker.limit_seconds = 0.5;
  outcome<TimedOut>("endless");
}

TEST_F(BadWorker, TheLimitGrowsWithTheEstimate) {
  setup_.worker.limit_seconds = 0.1;
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
  setup_.worker.limit_seconds = 3;  // for its result
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

TEST(Judge, BlamesTheKernelForAKillWhenItCountedOne) {
  Ended ended;
  ended.signal = SIGKILL;
  ended.peak_bytes = 3LL << 30;
  const Answer answer = judge({fake_cell("good"), 0, 0}, "/nowhere/result.json", ended, 30, true);
  EXPECT_EQ(std::get<Crashed>(answer.body.outcome).message,
            "the kernel killed it for want of host memory, of which it held 3.00 GiB");
}

}  // namespace
}  // namespace labreport
