#include "engine/step_clock.h"

#include "engine/device.h"
#include "engine/host_clock.h"

namespace labreport {

StepClock::StepClock(c10::Device device, PhaseClock clock, std::size_t phase_count)
    : device_(device), marks_(make_phase_marks(clock, device, phase_count)) {}

StepTimes StepClock::time(const std::function<void(PhaseObserver&)>& step) {
  enqueued_ns_.clear();
  start_ns_ = host_now_ns();
  marks_->start();
  step(*this);
  const std::int64_t enqueued = host_now_ns();
  synchronize(device_);
  const std::int64_t done = host_now_ns();
  return {done - start_ns_, enqueued - start_ns_, marks_->durations_ns(), enqueued_ns_};
}

void StepClock::ended(Phase) {
  marks_->phase_ended();
  enqueued_ns_.push_back(host_now_ns() - start_ns_);
}

}  // namespace labreport
