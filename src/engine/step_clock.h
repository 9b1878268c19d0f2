// The time of one step: three host instants, and its phases.
#pragma once

#include <functional>

#include "engine/phase.h"
#include "engine/phase_marks.h"

namespace labreport {

struct StepTimes {
  std::int64_t total_ns = 0;    ///< Start → the device has done everything.
  std::int64_t enqueue_ns = 0;  ///< Start → the host has given the device everything.
  std::vector<std::int64_t> phases_ns;
  std::vector<std::int64_t> phases_enqueued_ns;  ///< Start → the host has given each phase.
};

class StepClock : public PhaseObserver {
 public:
  StepClock(c10::Device device, PhaseClock clock, std::size_t phase_count);

  /// Runs `step`, which reports the end of each of its phases to the observer it is given, and
  /// synchronizes once after it. The device must be idle at the start.
  StepTimes time(const std::function<void(PhaseObserver&)>& step);

  void ended(Phase phase) override;

 private:
  c10::Device device_;
  std::unique_ptr<PhaseMarks> marks_;
  std::int64_t start_ns_ = 0;
  std::vector<std::int64_t> enqueued_ns_;
};

}  // namespace labreport
