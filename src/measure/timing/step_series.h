// Runs and times steps in sequence, and makes their metrics.
#pragma once

#include <functional>
#include <vector>

#include "engine/conditions.h"
#include "engine/step_clock.h"
#include "measure/timing/memory_counts.h"
#include "measure/timing/timing_plan.h"

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

  /// Returns the total and the enqueue time, tagged "step", and the phases, tagged "event".
  std::vector<Metric> step_metrics() const;

 private:
  TrainingStep& step_;
  std::vector<Phase> phases_;
  StepClock clock_;
  std::vector<StepTimes> times_;
};

/// Runs the plan's warm-up steps, then its counted ones, which `conditions` and the device
/// allocations of `memory` cover.
void run_counted_steps(const TimingPlan& plan, Conditions& conditions, MemoryCounts& memory,
                       const std::function<void()>& run_one);

/// Returns the loss of each step, tagged "losses".
Metric loss_metric(std::vector<double> losses);

}  // namespace labreport
