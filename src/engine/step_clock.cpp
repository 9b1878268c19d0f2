#include "engine/step_clock.h"

#include "engine/device.h"
#include "engine/host_clock.h"

namespace labreport {

std::int64_t StepTimes::sum(Phase phase, std::vector<std::int64_t> StepTimes::* times) const {
  std::int64_t sum_ns = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (phases[i] == phase) sum_ns += (this->*times)[i];
  }
  return sum_ns;
}

StepClock::StepClock(c10::Device device, PhaseClock clock, std::size_t phase_count)
    : device_(device), marks_(make_phase_marks(clock, device, phase_count)) {}

StepTimes StepClock::time(const std::function<void(PhaseObserver&)>& step) {
  phases_.clear();
  enqueued_ns_.clear();
  start_ns_ = host_now_ns();
  marks_->mark_start();
  step(*this);
  const std::int64_t all_enqueued_ns = host_now_ns();
  synchronize(device_);
  const std::int64_t done_ns = host_now_ns();
  return {done_ns - start_ns_, all_enqueued_ns - start_ns_, phases_, marks_->durations_ns(),
          enqueued_ns_};
}

void StepClock::on_phase_end(Phase phase) {
  marks_->mark_phase_end();
  phases_.push_back(phase);
  enqueued_ns_.push_back(host_now_ns() - start_ns_);
}

}  // namespace labreport
