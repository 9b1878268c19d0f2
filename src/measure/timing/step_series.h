// Runs and times steps in sequence, and makes their metrics.
#pragma once

#include <functional>
#include <vector>

#include "engine/conditions.h"
#include "engine/step_clock.h"
#include "measure/timing/step_memory.h"
#include "measure/timing/timing_plan.h"

namespace labreport {

class StepSeries {
 public:
  StepSeries(TrainingStep& step, Mode mode, c10::Device device, PhaseClock clock);

  /// Times one step, then calls `before_clear`, then frees the step's tensors.
  void run_one(const std::function<void()>& before_clear = {});

  const std::vector<StepTimes>& times() const { return times_; }

  /// Returns one value for each step; `field` is `total_ns` or `enqueue_ns`.
  std::vector<std::int64_t> samples(std::int64_t StepTimes::* field) const;

  /// Returns one metric for each phase that occurred, with one sample for each step, in
  /// nanoseconds: the sum over the phase's occurrences. `field` is `phases_ns` or
  /// `phases_enqueued_ns`.
  std::vector<Metric> phase_metrics(std::string_view tag,
                                    std::vector<std::int64_t> StepTimes::* field) const;

  /// Returns totals and enqueue times, tagged "step", and durations of phases, tagged "event".
  std::vector<Metric> step_metrics() const;

 private:
  TrainingStep& step_;
  StepClock clock_;
  std::vector<StepTimes> times_;
};

/// Calls `run_one` for each of the plan's warm-up steps, then for each of its counted steps.
/// `conditions` and the device allocations of `memory` cover only the counted steps.
void run_counted_steps(const TimingPlan& plan, Conditions& conditions, StepMemory& memory,
                       const std::function<void()>& run_one);

/// Runs one more step if it is the user's own, and returns how often its phases occur in it, tagged
/// "occurrences". Returns nothing for labreport's step.
std::vector<Metric> occurrence_metrics(const Network& network, const Batch& batch);

/// Returns the loss of each step, tagged "losses".
Metric loss_metric(std::vector<double> losses);

}  // namespace labreport
