#include "measure/catalog.h"

#include <ATen/Context.h>

#include <algorithm>

#include "base/error.h"
#include "engine/cuda_graph.h"
#include "engine/device.h"
#include "engine/host_clock.h"
#include "engine/precision.h"
#include "engine/profiler.h"
#include "measure/kernels/activity.h"
#include "measure/timing/step_series.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr std::int64_t kMaxEagerSteps = 3;  // before the capture, as in PyTorch's documentation

/// Runs single steps. loss() returns the last step's loss; call it before clear().
class StepRunner {
 public:
  explicit StepRunner(TrainingStep& step) : step_(step) {}
  virtual ~StepRunner() = default;

  virtual void run() = 0;
  virtual void clear() { step_.clear(); }  ///< Frees the step's tensors.
  virtual void prepare() {}                ///< Prepares the next step, untimed.

  double loss() const { return step_.loss().item<double>(); }

 protected:
  void run_operators() {
    NullPhaseObserver observer;
    step_.run(observer);
  }

  TrainingStep& step_;
};

class EagerRunner : public StepRunner {
 public:
  using StepRunner::StepRunner;
  void run() override { run_operators(); }
};

/// Runs some eager steps first, then captures one step and replays it.
class GraphRunner : public StepRunner {
 public:
  GraphRunner(TrainingStep& step, std::int64_t eager_steps)
      : StepRunner(step), eager_left_(eager_steps) {}

  void prepare() override {
    if (eager_left_ > 0 || captured_) return;
    graph_.capture([this] { run_operators(); });
    captured_ = true;
  }

  void run() override {
    if (captured_) return graph_.replay();
    --eager_left_;
    graph_.warm_up([this] { run_operators(); });
  }

  /// Keeps the captured step's tensors, because the graph writes to them.
  void clear() override {
    if (!captured_) step_.clear();
  }

 private:
  CudaGraph graph_;
  std::int64_t eager_left_;  ///< Eager steps until the capture.
  bool captured_ = false;
};

std::unique_ptr<StepRunner> make_runner(TrainingStep& step, Variant variant, std::int64_t warmup) {
  if (variant != Variant::kCudaGraph) return std::make_unique<EagerRunner>(step);
  if (warmup < 1) {
    throw InputError("a CUDA graph is captured after a warm-up step, and 'warmup' is 0",
                     "ask for at least one");
  }
  return std::make_unique<GraphRunner>(step, std::min(warmup, kMaxEagerSteps));
}

class LadderLaunch {
 public:
  LadderLaunch(const TimingPlan& plan, Variant variant, c10::Device device)
      : plan_(plan),
        device_(device),
        batch_(plan.random_batch(device)),
        network_(make_network(plan.network, device)),
        step_(*network_, batch_, plan.step),
        compile_ns_(step_.compile()),
        memory_(device, count_bytes(network_->parameters())),
        runner_(make_runner(step_, variant, plan.warmup)),
        conditions_(plan.step.device) {}

  Launch measure() {
    conditions_.open();
    run_counted_steps(plan_, conditions_, memory_, [this] { time_step(); });
    return result();
  }

 private:
  /// Times one step as a cell of kind `timing` does, with one synchronization at the step's end.
  void time_step() {
    runner_->prepare();
    synchronize(device_);
    const std::int64_t start_ns = host_now_ns();
    runner_->run();
    const std::int64_t enqueued_ns = host_now_ns();
    synchronize(device_);
    totals_ns_.push_back(host_now_ns() - start_ns);
    enqueues_ns_.push_back(enqueued_ns - start_ns);
    losses_.push_back(runner_->loss());
    runner_->clear();
  }

  /// Profiles one more step, for the number of its kernels and the time that the device was busy.
  std::vector<Metric> profile_metrics() {
    const DeviceKind kind = plan_.step.device;
    profile(kind, [] {});  // The first profile of a process initializes the profiler.
    const Profile step_profile = profile(kind, [this] {
      runner_->run();
      synchronize(device_);
    });
    const std::string reason = reason_without_kernels(kind, step_profile.trace);
    if (reason.empty()) return activity_metrics(attribute(step_profile.trace));
    return {absent_metric(metric::kProfile, metric::kKernels, "1", reason),
            absent_metric(metric::kProfile, metric::kBusy, "ns", reason)};
  }

  Launch result() {
    Launch launch;
    if (compile_ns_) {
      launch.metrics.push_back(
          integer_metric(metric::kStartUp, metric::kCompile, "ns", *compile_ns_));
    }
    append(launch.metrics, {sample_metric(metric::kStep, metric::kTotal, "ns", totals_ns_),
                            sample_metric(metric::kStep, metric::kEnqueue, "ns", enqueues_ns_),
                            loss_metric(losses_)});
    append(launch.metrics, memory_.metrics());
    append(launch.metrics, profile_metrics());
    launch.conditions = conditions_.metrics();
    launch.conditions.push_back(memory_.device_allocations());
    return launch;
  }

  TimingPlan plan_;
  c10::Device device_;
  Batch batch_;
  std::unique_ptr<Network> network_;
  TrainingStep step_;
  std::optional<std::int64_t> compile_ns_;
  StepMemory memory_;
  std::unique_ptr<StepRunner> runner_;
  Conditions conditions_;
  std::vector<std::int64_t> totals_ns_, enqueues_ns_;
  std::vector<double> losses_;
};

}  // namespace

Launch measure_ladder(const LaunchRequest& request) {
  const TimingPlan plan = timing_plan(request.spec);
  const Variant variant = request.spec.variant.value_or(Variant::kMatmul);
  if (plan.step.mode != Mode::kTrainStep) {
    throw InputError("a ladder's cell measures training steps, not '" +
                     std::string(name(plan.step.mode)) + "'");
  }
  if (variant == Variant::kCudaGraph && plan.step.device == DeviceKind::kCpu) {
    Launch launch;
    launch.outcome = Skipped{"a CUDA graph needs a GPU"};
    return launch;
  }
  set_tf32(plan.step.precision);
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  return LadderLaunch(plan, variant, torch_device(plan.step.device)).measure();
}

}  // namespace labreport
