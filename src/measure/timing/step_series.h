// Runs and times steps in sequence, and makes their metrics.
#pragma once

#include <vector>

#include "engine/step_clock.h"
#include "model/training_step.h"
#include "results/metric.h"

namespace labreport {

class StepSeries {
 public:
  StepSeries(TrainingStep& step, Mode mode, c10::Device device, PhaseClock clock);

  /// Runs and times one step. Its tensors are freed after the timing; `before_clear` runs before
  /// that.
  void run_one(const std::function<void()>& before_clear = {});

  const std::vector<StepTimes>& times() const { return times_; }

  /// Returns the samples of `total_ns` or `enqueue_ns`.
  std::vector<std::int64_t> samples(std::int64_t StepTimes::* field) const;

  /// Returns one metric for each phase, with samples of its durations or of the times at which it
  /// was enqueued.
  std::vector<Metric> phase_metrics(std::string_view tag,
                                    std::vector<std::int64_t> StepTimes::* field) const;

 private:
  TrainingStep& step_;
  std::vector<Phase> phases_;
  StepClock clock_;
  std::vector<StepTimes> times_;
};

}  // namespace labreport
