// The time of one step: its total, its enqueueing, and its phases.
#pragma once

#include <functional>

#include "engine/phase.h"
#include "engine/phase_marks.h"

namespace labreport {

struct StepTimes {
  std::int64_t total_ns = 0;    ///< From the start until the device has finished.
  std::int64_t enqueue_ns = 0;  ///< From the start until the host has enqueued everything.
  std::vector<Phase> phases;    ///< In the order of their ends. A phase may occur several times.
  std::vector<std::int64_t> phases_ns;
  std::vector<std::int64_t>
      phases_enqueued_ns;  ///< From the step's start until the host has enqueued each phase.

  /// Returns the sum of `times`, which has a value for each phase, over the occurrences of `phase`.
  std::int64_t sum(Phase phase, std::vector<std::int64_t> StepTimes::* times) const;
};

class StepClock : public PhaseObserver {
 public:
  /// `phase_count` is the number of phases to expect in a step. More cost the first step some time.
  StepClock(c10::Device device, PhaseClock clock, std::size_t phase_count);

  /// Runs `step` and synchronizes once after it. `step` must report the end of each phase to the
  /// observer that it gets. The device must be idle at the start.
  StepTimes time(const std::function<void(PhaseObserver&)>& step);

  void on_phase_end(Phase phase) override;

 private:
  c10::Device device_;
  std::unique_ptr<PhaseMarks> marks_;
  std::int64_t start_ns_ = 0;
  std::vector<Phase> phases_;
  std::vector<std::int64_t> enqueued_ns_;
};

}  // namespace labreport
