// Steps one after the other, each timed, and the metrics they make.
#pragma once

#include <vector>

#include "engine/step_clock.h"
#include "model/training_step.h"
#include "results/metric.h"

namespace labreport {

class StepSeries {
 public:
  StepSeries(TrainingStep& step, Mode mode, c10::Device device, PhaseClock clock);

  /// Runs and times one step; what it left is freed outside its time. `before_clear` sees it.
  void run_one(const std::function<void()>& before_clear = {});

  const std::vector<StepTimes>& times() const { return times_; }

  /// Samples of `total_ns` or `enqueue_ns`.
  std::vector<std::int64_t> samples(std::int64_t StepTimes::* field) const;

  /// One samples metric a phase, of its durations or of when the host had enqueued it.
  std::vector<Metric> phase_metrics(std::string_view tag,
                                    std::vector<std::int64_t> StepTimes::* field) const;

 private:
  TrainingStep& step_;
  std::vector<Phase> phases_;
  StepClock clock_;
  std::vector<StepTimes> times_;
};

}  // namespace labreport
