#include "measure/catalog.h"

#include <ATen/Context.h>

#include <cmath>

#include "engine/device.h"
#include "engine/host_clock.h"
#include "engine/precision.h"
#include "measure/timing/start_up.h"
#include "measure/timing/step_series.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

struct BuiltNetwork {
  std::unique_ptr<Network> network;
  std::int64_t build_ns = 0;
};

BuiltNetwork build_network(const TimingPlan& plan, c10::Device device) {
  begin_phase(Phase::kModelBuild);
  const std::int64_t start_ns = host_now_ns();
  std::unique_ptr<Network> network = make_network(plan.network, device);
  synchronize(device);
  return {std::move(network), host_now_ns() - start_ns};
}

class TimingLaunch {
 public:
  TimingLaunch(const TimingPlan& plan, c10::Device device)
      : plan_(plan),
        device_(device),
        batch_(plan.random_batch(device)),
        built_(build_network(plan, device)),
        step_(*built_.network, batch_, plan.step),
        compile_ns_(step_.compile()),
        memory_(device, count_bytes(built_.network->parameters())),
        series_(step_, plan.step.mode, device, PhaseClock::kEvents),
        synced_series_(step_, plan.step.mode, device, PhaseClock::kSynchronized),
        conditions_(plan.step.device) {}

  Launch measure() {
    run_counted_steps(plan_, conditions_, memory_, [this] { run_counted_step(); });
    if (phases(plan_.step.mode).size() > 1) {
      for (std::int64_t i = 0; i < plan_.steps; ++i) synced_series_.run_one();
    }
    // The GPU's clock rates are read during steps that are like the timed ones but not recorded.
    StepClock unrecorded(device_, PhaseClock::kEvents, phases(plan_.step.mode).size());
    conditions_.sample_clocks(series_.times().back().total_ns, [&] {
      unrecorded.time([this](PhaseObserver& observer) { step_.run(observer); });
      step_.clear();
    });
    occurrences_ = occurrence_metrics(*built_.network, batch_);
    return result();
  }

 private:
  void run_counted_step() {
    const auto number = std::ssize(series_.times()) + 1;
    if (number == 1) return run_first_step();
    if (number < plan_.warmup + plan_.steps) return series_.run_one();
    series_.run_one([&] { check_loss("step " + std::to_string(number)); });
  }

  void run_first_step() {
    const RangeObserverScope scope(first_kernel_);
    series_.run_one([this] { check_loss("the first step"); });
    conditions_.open();  // opening takes time and is no part of the start-up
  }

  /// Reads the loss, for which it waits, so it is called once a step's time is known.
  void check_loss(const std::string& step) {
    const at::Tensor& loss = step_.loss();
    const bool is_finite = !loss.defined() || std::isfinite(loss.item<double>());
    if (!is_finite && warnings_.empty()) warnings_.push_back("the loss is not finite at " + step);
  }

  Launch result() const {
    Launch launch;
    launch.metrics = start_up_metrics(built_.build_ns, compile_ns_, first_kernel_);
    append(launch.metrics, series_.step_metrics());
    if (!device_.is_cpu()) {
      // The phases of an own step may alternate, so that none has one end.
      if (!built_.network->has_own_step()) {
        append(launch.metrics,
               series_.phase_metrics(metric::kEnqueue, &StepTimes::phases_enqueued_ns));
      }
      launch.metrics.push_back(sample_metric(metric::kStep, metric::kDeviceAllocations, "1",
                                             memory_.step_allocations()));
    }
    if (!synced_series_.times().empty()) {
      launch.metrics.push_back(sample_metric(metric::kSynced, metric::kTotal, "ns",
                                             synced_series_.samples(&StepTimes::total_ns)));
      append(launch.metrics, synced_series_.phase_metrics(metric::kSynced, &StepTimes::phases_ns));
    }
    append(launch.metrics, occurrences_);
    append(launch.metrics, memory_.metrics());
    launch.conditions = conditions_.metrics();
    launch.conditions.push_back(memory_.device_allocations());
    launch.warnings = warnings_;
    return launch;
  }

  TimingPlan plan_;
  c10::Device device_;
  Batch batch_;
  BuiltNetwork built_;
  TrainingStep step_;
  std::optional<std::int64_t> compile_ns_;
  StepMemory memory_;
  StepSeries series_, synced_series_;
  Conditions conditions_;
  FirstKernelObserver first_kernel_;
  std::vector<Metric> occurrences_;
  std::vector<std::string> warnings_;
};

}  // namespace

Launch measure_timing(const LaunchRequest& request) {
  const TimingPlan plan = timing_plan(request.spec);
  set_tf32(plan.step.precision);
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  return TimingLaunch(plan, torch_device(plan.step.device)).measure();
}

}  // namespace labreport
