#include "engine/step_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "engine/device.h"
#include "engine/host_clock.h"

namespace labreport::step_clock_test {
namespace {

constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;

void wait_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

void two_phases(PhaseObserver& observer) {
  wait_ms(4);
  observer.on_phase_end(Phase::kForward);
  wait_ms(8);
  observer.on_phase_end(Phase::kLoss);
}

class StepClockTest : public testing::TestWithParam<PhaseClock> {
 protected:
  StepClock clock_{torch_device(DeviceKind::kCpu), GetParam(), 2};
};

TEST_P(StepClockTest, TotalIncludesEnqueueing) {
  const StepTimes times = clock_.time(two_phases);
  EXPECT_GE(times.enqueue_ns, 12 * kNanosecondsPerMillisecond);
  EXPECT_GE(times.total_ns, times.enqueue_ns);
}

TEST_P(StepClockTest, PhasesAddUpToAtMostTheTotal) {
  const StepTimes times = clock_.time(two_phases);
  ASSERT_EQ(times.phases_ns.size(), 2u);
  EXPECT_GE(times.phases_ns[0], 4 * kNanosecondsPerMillisecond);
  EXPECT_GE(times.phases_ns[1], 8 * kNanosecondsPerMillisecond);
  EXPECT_LE(times.phases_ns[0] + times.phases_ns[1], times.total_ns);
}

TEST_P(StepClockTest, EnqueuesPhasesInOrder) {
  const StepTimes times = clock_.time(two_phases);
  ASSERT_EQ(times.phases_enqueued_ns.size(), 2u);
  EXPECT_LT(times.phases_enqueued_ns[0], times.phases_enqueued_ns[1]);
  EXPECT_LE(times.phases_enqueued_ns[1], times.enqueue_ns);
}

TEST_P(StepClockTest, StartsAnewForEachStep) {
  clock_.time(two_phases);
  EXPECT_EQ(clock_.time(two_phases).phases_ns.size(), 2u);
}

TEST_P(StepClockTest, SumsTheOccurrencesOfAPhase) {
  const StepTimes times = clock_.time([](PhaseObserver& observer) {
    two_phases(observer);
    two_phases(observer);
  });
  EXPECT_EQ(times.phases,
            (std::vector{Phase::kForward, Phase::kLoss, Phase::kForward, Phase::kLoss}));
  EXPECT_EQ(times.sum(Phase::kLoss, &StepTimes::phases_ns),
            times.phases_ns.at(1) + times.phases_ns.at(3));
  EXPECT_GE(times.sum(Phase::kLoss, &StepTimes::phases_ns), 16 * kNanosecondsPerMillisecond);
  EXPECT_EQ(times.sum(Phase::kBackward, &StepTimes::phases_ns), 0);
}

INSTANTIATE_TEST_SUITE_P(Clocks, StepClockTest,
                         testing::Values(PhaseClock::kEvents, PhaseClock::kSynchronized),
                         [](const auto& info) {
                           return info.param == PhaseClock::kEvents ? "Events" : "Synchronized";
                         });

TEST(ProcessAge, GrowsWithTheHostsClock) {
  const std::int64_t before_first_ns = host_now_ns();
  const auto first_age_ns = process_age_ns();
  const std::int64_t after_first_ns = host_now_ns();
  wait_ms(30);
  const std::int64_t before_second_ns = host_now_ns();
  const auto second_age_ns = process_age_ns();
  const std::int64_t after_second_ns = host_now_ns();
  ASSERT_TRUE(first_age_ns && second_age_ns);
  // The process's age comes from another clock, which may drift by this much.
  constexpr std::int64_t kDriftNs = 5'000'000;
  EXPECT_GE(*second_age_ns - *first_age_ns, before_second_ns - after_first_ns - kDriftNs);
  EXPECT_LE(*second_age_ns - *first_age_ns, after_second_ns - before_first_ns + kDriftNs);
}

}  // namespace
}  // namespace labreport::step_clock_test
