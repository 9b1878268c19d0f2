#include "measure/catalog.h"

#include <ATen/Context.h>

#include "base/error.h"
#include "engine/device.h"
#include "engine/host_allocator.h"
#include "engine/host_clock.h"
#include "engine/out_of_memory.h"
#include "engine/precision.h"
#include "engine/range.h"
#include "measure/memory/phase_peaks.h"
#include "measure/timing/step_series.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

/// Observes one step: the memory that forward allocates and that is still in use when backward
/// starts, and the memory and time of recomputation. A group is the blocks of one checkpoint.
/// The observer synchronizes around each group, so the step must not be timed.
class RecomputationObserver : public RangeObserver {
 public:
  explicit RecomputationObserver(c10::Device device) : device_(device) {}

  void on_open(std::string_view name) override {
    open_ranges_.emplace_back(name);
    if (name == metric::kForward) bytes_before_forward_ = allocated_bytes();
    if (name == metric::kBackward) saved_bytes_ = allocated_bytes() - bytes_before_forward_;
    if (name != metric::kRecomputeTime) return;
    synchronize(device_);
    bytes_before_group_ = allocated_bytes();
    group_start_ns_ = host_now_ns();
  }

  void on_close() override {
    const bool is_group = open_ranges_.back() == metric::kRecomputeTime;
    open_ranges_.pop_back();
    if (!is_group) return;
    synchronize(device_);
    recompute_ns_ += host_now_ns() - group_start_ns_;
    largest_group_bytes_ = std::max(largest_group_bytes_, allocated_bytes() - bytes_before_group_);
  }

  std::int64_t saved_bytes() const { return saved_bytes_; }
  std::int64_t largest_group_bytes() const { return largest_group_bytes_; }  ///< 0 without groups.
  std::int64_t recompute_ns() const { return recompute_ns_; }

 private:
  std::int64_t allocated_bytes() const {
    const auto counts = memory_counts(device_);
    return counts ? counts->allocated_bytes : 0;
  }

  c10::Device device_;
  std::vector<std::string> open_ranges_;
  std::int64_t bytes_before_forward_ = 0, bytes_before_group_ = 0, group_start_ns_ = 0;
  std::int64_t saved_bytes_ = 0, largest_group_bytes_ = 0, recompute_ns_ = 0;
};

class CheckpointingLaunch {
 public:
  CheckpointingLaunch(const TimingPlan& plan, c10::Device device)
      : plan_(plan),
        device_(device),
        batch_(plan.random_batch(device)),
        network_(make_network(plan.network, device)),
        step_(*network_, batch_, plan.step),
        series_(step_, plan.step.mode, device, PhaseClock::kEvents) {}

  Launch measure() {
    Conditions conditions(plan_.step.device);
    record_memory();
    conditions.begin();
    const auto failure = catch_out_of_memory([this] { run_steps(); });
    conditions.end();
    if (failure) launch_.outcome = *failure;
    launch_.conditions = conditions.metrics();
    return std::move(launch_);
  }

 private:
  void add(std::string_view tag, std::string_view name, const char* unit, std::int64_t value) {
    launch_.metrics.push_back(integer_metric(tag, name, unit, value));
  }

  /// Measures the memory of one forward and backward pass before AdamW has states.
  void record_memory() {
    StepOptions options = plan_.step;
    options.mode = Mode::kForwardBackward;
    TrainingStep step(*network_, batch_, options);
    PhasePeaks peaks(device_);
    const RecomputationObserver recomputation = run_observed(step, peaks);
    step.clear();
    add(metric::kMemory, metric::kParameters, "B", count_bytes(network_->parameters()));
    append(launch_.metrics, peaks.metrics());
    add(metric::kCheckpoints, metric::kSaved, "B", recomputation.saved_bytes());
    if (recomputation.largest_group_bytes() > 0) {
      add(metric::kCheckpoints, metric::kRecomputedBytes, "B", recomputation.largest_group_bytes());
    }
  }

  RecomputationObserver run_observed(TrainingStep& step, PhaseObserver& observer) {
    RecomputationObserver recomputation(device_);
    const RangeObserverScope scope(recomputation);
    step.run(observer);
    synchronize(device_);
    return recomputation;
  }

  /// Runs one observed step, after which AdamW has states, then warm-up and timed steps.
  void run_steps() {
    NullPhaseObserver observer;
    const RecomputationObserver recomputation = run_observed(step_, observer);
    step_.clear();
    reset_memory_peaks(device_);
    std::vector<double> losses;
    for (std::int64_t i = 0; i < plan_.warmup + plan_.steps; ++i) {
      series_.run_one([&] { losses.push_back(step_.loss().item<double>()); });
    }
    add(metric::kMemory, metric::kPeakAllocated, "B", memory_counts(device_)->peak_allocated_bytes);
    if (recomputation.largest_group_bytes() > 0) {
      add(metric::kStep, metric::kRecomputeTime, "ns", recomputation.recompute_ns());
    }
    append(launch_.metrics, series_.step_metrics());
    launch_.metrics.push_back(loss_metric(std::move(losses)));
  }

  TimingPlan plan_;
  c10::Device device_;
  Batch batch_;
  std::unique_ptr<Network> network_;
  TrainingStep step_;
  StepSeries series_;
  Launch launch_;
};

}  // namespace

Launch measure_checkpointing(const LaunchRequest& request) {
  const TimingPlan plan = timing_plan(request.spec);
  if (plan.step.mode < Mode::kForwardBackward) {
    throw InputError("checkpoints matter to a backward pass, and '" +
                     std::string(name(plan.step.mode)) + "' has none");
  }
  if (plan.step.device == DeviceKind::kCpu) count_host_allocations();
  set_tf32(plan.step.precision);
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  begin_phase(Phase::kModelBuild);
  return CheckpointingLaunch(plan, torch_device(plan.step.device)).measure();
}

}  // namespace labreport
