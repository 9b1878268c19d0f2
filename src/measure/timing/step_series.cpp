#include "measure/timing/step_series.h"

#include <set>

#include "results/metric_names.h"

namespace labreport {

StepSeries::StepSeries(TrainingStep& step, Mode mode, c10::Device device, PhaseClock clock)
    : step_(step), clock_(device, clock, phases(mode).size()) {}

void StepSeries::run_one(const std::function<void()>& before_clear) {
  times_.push_back(clock_.time([this](PhaseObserver& observer) { step_.run(observer); }));
  if (before_clear) before_clear();
  step_.clear();
}

std::vector<std::int64_t> StepSeries::samples(std::int64_t StepTimes::* field) const {
  std::vector<std::int64_t> result;
  for (const StepTimes& times : times_) result.push_back(times.*field);
  return result;
}

std::vector<Metric> StepSeries::phase_metrics(std::string_view tag,
                                              std::vector<std::int64_t> StepTimes::* field) const {
  std::set<Phase> occurred;
  for (const StepTimes& times : times_) occurred.insert(times.phases.begin(), times.phases.end());
  std::vector<Metric> metrics;
  for (const Phase phase : occurred) {
    std::vector<std::int64_t> samples;
    for (const StepTimes& times : times_) samples.push_back(times.sum(phase, field));
    metrics.push_back(sample_metric(tag, name(phase), "ns", std::move(samples)));
  }
  return metrics;
}

std::vector<Metric> StepSeries::step_metrics() const {
  std::vector<Metric> metrics{
      sample_metric(metric::kStep, metric::kTotal, "ns", samples(&StepTimes::total_ns)),
      sample_metric(metric::kStep, metric::kEnqueue, "ns", samples(&StepTimes::enqueue_ns))};
  append(metrics, phase_metrics(metric::kEvent, &StepTimes::phases_ns));
  return metrics;
}

void run_counted_steps(const TimingPlan& plan, Conditions& conditions, StepMemory& memory,
                       const std::function<void()>& run_one) {
  for (std::int64_t i = 0; i < plan.warmup + plan.steps; ++i) {
    if (i == plan.warmup) {
      conditions.begin();
      memory.begin();
    }
    run_one();
    memory.note_step();
  }
  memory.end();
  conditions.end();
}

std::vector<Metric> occurrence_metrics(const Network& network, const Batch& batch) {
  std::vector<Metric> metrics;
  for (const auto& [name, count] : network.count_occurrences(batch)) {
    metrics.push_back(integer_metric(metric::kOccurrences, name, "1", count));
  }
  return metrics;
}

Metric loss_metric(std::vector<double> losses) {
  return {std::string(metric::kLosses), std::string(metric::kTotal), "1",
          Samples(std::move(losses)), ""};
}

}  // namespace labreport
