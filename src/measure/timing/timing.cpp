#include "measure/catalogue.h"

#include <ATen/Context.h>

#include <algorithm>
#include <cmath>

#include "engine/conditions.h"
#include "engine/device.h"
#include "engine/host_clock.h"
#include "engine/precision.h"
#include "measure/timing/memory_counts.h"
#include "measure/timing/start_up.h"
#include "measure/timing/step_series.h"
#include "measure/timing/timing_plan.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

struct BuiltModel {
  std::unique_ptr<Network> network;
  std::int64_t took_ns = 0;
};

BuiltModel build_model(const TimingPlan& plan, c10::Device device) {
  begin_phase(Phase::kModel);
  const std::int64_t start = host_now_ns();
  std::unique_ptr<Network> network = make_network(plan.network, device);
  synchronize(device);
  return {std::move(network), host_now_ns() - start};
}

class TimingLaunch {
 public:
  TimingLaunch(const TimingPlan& plan, c10::Device device)
      : plan_(plan),
        device_(device),
        batch_(plan.random_batch(device)),
        built_(build_model(plan, device)),
        step_(*built_.network, batch_, plan.step),
        compile_ns_(step_.compile()),
        memory_(device, count_bytes(built_.network->parameters())),
        series_(step_, plan.step.mode, device, PhaseClock::kEvents),
        synced_(step_, plan.step.mode, device, PhaseClock::kSynchronized) {}

  Launch measure() {
    run_steps();
    if (phases(plan_.step.mode).size() > 1) {
      for (std::int64_t i = 0; i < plan_.steps; ++i) synced_.run_one();
    }
    sample_clocks();
    return result();
  }

 private:
  /// NVML is opened after the first step, so start-up does not include it.
  void run_steps() {
    for (std::int64_t i = 0; i < plan_.warmup + plan_.steps; ++i) {
      if (i == std::min<std::int64_t>(1, plan_.warmup)) conditions_.emplace(plan_.step.device);
      if (i == plan_.warmup) begin_counting();
      i == 0 ? run_first_step() : series_.run_one();
      memory_.note_step();
    }
    memory_.end();
    conditions_->end();
  }

  void begin_counting() {
    conditions_->begin();
    memory_.begin();
  }

  void run_first_step() {
    const ObservedRanges observed(first_kernel_);
    series_.run_one([this] {
      const at::Tensor& loss = step_.loss();
      if (loss.defined() && !std::isfinite(loss.item<double>())) {
        warnings_.emplace_back("the loss is not finite at the first step");
      }
    });
  }

  void sample_clocks() {
    StepClock untimed(device_, PhaseClock::kEvents, phases(plan_.step.mode).size());
    const std::int64_t expected = series_.times().back().total_ns;
    conditions_->sample_clocks(expected, [&] {
      untimed.time([this](PhaseObserver& observer) { step_.run(observer); });
      step_.clear();
    });
  }

  std::vector<Metric> device_metrics() const;
  Launch result() const;

  TimingPlan plan_;
  c10::Device device_;
  Batch batch_;
  BuiltModel built_;
  TrainingStep step_;
  std::optional<std::int64_t> compile_ns_;
  MemoryCounts memory_;
  StepSeries series_;
  StepSeries synced_;
  std::optional<Conditions> conditions_;
  FirstKernel first_kernel_;
  std::vector<std::string> warnings_;
};

Metric total_metric(std::string_view tag, const StepSeries& series) {
  return sample_metric(tag, metric::kTotal, "ns", series.samples(&StepTimes::total_ns));
}

/// Returns metrics that only a GPU has: the time at which the host had enqueued each phase, and the
/// allocator's requests to the device.
std::vector<Metric> TimingLaunch::device_metrics() const {
  std::vector<Metric> metrics =
      series_.phase_metrics(metric::kEnqueue, &StepTimes::phases_enqueued_ns);
  metrics.push_back(
      sample_metric(metric::kStep, metric::kDeviceAllocations, "1", memory_.step_allocations()));
  return metrics;
}

Launch TimingLaunch::result() const {
  Launch launch;
  launch.metrics = start_up_metrics(built_.took_ns, compile_ns_, first_kernel_);
  launch.metrics.push_back(total_metric(metric::kStep, series_));
  launch.metrics.push_back(sample_metric(metric::kStep, metric::kEnqueue, "ns",
                                         series_.samples(&StepTimes::enqueue_ns)));
  append(launch.metrics, series_.phase_metrics(metric::kEvent, &StepTimes::phases_ns));
  if (!device_.is_cpu()) append(launch.metrics, device_metrics());
  if (!synced_.times().empty()) {
    launch.metrics.push_back(total_metric(metric::kSynced, synced_));
    append(launch.metrics, synced_.phase_metrics(metric::kSynced, &StepTimes::phases_ns));
  }
  append(launch.metrics, memory_.metrics());
  launch.conditions = conditions_->metrics();
  launch.conditions.push_back(memory_.device_allocations());
  launch.warnings = warnings_;
  return launch;
}

}  // namespace

Launch measure_timing(const LaunchRequest& request) {
  const TimingPlan plan = timing_plan(request.spec);
  set_tf32(plan.step.precision);
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  return TimingLaunch(plan, torch_device(plan.step.device)).measure();
}

}  // namespace labreport
