#include "measure/catalog.h"

#include <ATen/Context.h>

#include "engine/allocation_source.h"
#include "engine/allocation_trace.h"
#include "engine/conditions.h"
#include "engine/device.h"
#include "engine/host_allocator.h"
#include "engine/out_of_memory.h"
#include "engine/precision.h"
#include "measure/memory/files.h"
#include "measure/memory/lifetimes.h"
#include "measure/memory/phase_peaks.h"
#include "measure/memory/tables.h"
#include "measure/timing/step_series.h"
#include "measure/timing/timing_plan.h"
#include "model/training_step.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

Metric bytes_metric(std::string_view tag, std::string_view name, std::optional<std::int64_t> bytes,
                    std::string_view reason = "not counted here") {
  return integer_metric(tag, name, "B", bytes, reason);
}

KnownStorages known_storages(const Network& network, const Batch& batch, const TrainingStep& step,
                             DeviceKind device) {
  KnownStorages storages;
  const auto add = [&](const at::Tensor& tensor, MemoryCategory category) {
    if (!tensor.defined()) return;
    storages[reinterpret_cast<std::uint64_t>(tensor.storage().data())] = category;
  };
  for (const std::uint64_t address : workspace_addresses(device)) {
    storages[address] = MemoryCategory::kWorkspace;
  }
  for (const Parameter& parameter : network.parameters()) {
    add(parameter.tensor, MemoryCategory::kParameters);
    add(parameter.tensor.grad(), MemoryCategory::kGradients);
  }
  for (const Parameter& moment : step.optimizer_state()) {
    add(moment.tensor, MemoryCategory::kOptimizer);
  }
  for (const at::Tensor& buffer : network.buffers()) add(buffer, MemoryCategory::kData);
  add(batch.ids, MemoryCategory::kData);
  add(batch.targets, MemoryCategory::kData);
  return storages;
}

class MemoryLaunch {
 public:
  /// `artifacts` is the path prefix of the files; empty if none are written.
  MemoryLaunch(const TimingPlan& plan, c10::Device device, std::string artifacts)
      : plan_(plan),
        artifacts_(std::move(artifacts)),
        device_(device),
        batch_(plan.random_batch(device)),
        network_(make_network(plan.network, device)),
        step_(*network_, batch_, plan.step) {
    step_.compile();
    synchronize(device_);
  }

  /// Runs the warm-up steps, a step for the peaks, and a step whose allocations are recorded.
  Launch measure() {
    Conditions conditions(plan_.step.device);
    conditions.begin();
    for (std::int64_t i = 0; i <= plan_.warmup && !out_of_memory_; ++i) run_unrecorded_step();
    run_recorded_step();
    conditions.end();
    launch_.conditions = conditions.metrics();
    if (const auto limit = memory_limit(plan_.step.device)) {
      launch_.conditions.push_back(bytes_metric(metric::kMemory, metric::kAllocatorLimit, limit));
    }
    add_peaks();
    add_history();
    add_other_forward_peaks();
    step_.clear();
    if (!out_of_memory_) append(launch_.metrics, occurrence_metrics(*network_, batch_));
    if (out_of_memory_) launch_.outcome = *out_of_memory_;
    return std::move(launch_);
  }

 private:
  void run(PhasePeaks& peaks) {
    const auto failure = catch_out_of_memory([&] {
      step_.run(peaks);
      synchronize(device_);
    });
    if (!failure) return;
    peaks.on_failure();
    if (!out_of_memory_) out_of_memory_ = failure;
  }

  void run_unrecorded_step() {
    peaks_.emplace(device_);
    run(*peaks_);
    step_.clear();
  }

  /// Runs even if an earlier step failed. The step is not cleared: see add_other_forward_peaks().
  void run_recorded_step() {
    const DeviceKind device = plan_.step.device;
    known_.builds_autograd_graph = plan_.step.mode != Mode::kInference;
    known_.at_start = known_storages(*network_, batch_, step_, device);
    AllocationTrace trace(device);
    recorded_peaks_.emplace(device_);
    run(*recorded_peaks_);
    history_ = trace.finish();
    known_.at_end = known_storages(*network_, batch_, step_, device);
  }

  void add(const Metric& metric) { launch_.metrics.push_back(metric); }

  void add_peaks();
  void add_history();
  void add_other_forward_peaks();

  TimingPlan plan_;
  std::string artifacts_;
  c10::Device device_;
  Batch batch_;
  std::unique_ptr<Network> network_;
  TrainingStep step_;
  std::optional<PhasePeaks> peaks_, recorded_peaks_;
  MemoryHistory history_;
  KnownMemory known_;
  std::optional<OutOfMemory> out_of_memory_;
  Launch launch_;
};

/// Adds peaks from the allocator's own statistics, not from sums over the history.
void MemoryLaunch::add_peaks() {
  using Counts = AllocatorCounts;
  add(bytes_metric(metric::kMemory, metric::kParameters, count_bytes(network_->parameters())));
  add(bytes_metric(metric::kMemory, metric::kPeakAllocated,
                   peaks_->highest(&Counts::peak_allocated_bytes)));
  add(bytes_metric(metric::kMemory, metric::kPeakRequested,
                   peaks_->highest(&Counts::peak_requested_bytes)));
  const auto reserved =
      device_.is_cpu() ? std::nullopt : peaks_->highest(&Counts::peak_reserved_bytes);
  add(bytes_metric(metric::kMemory, metric::kPeakReserved, reserved,
                   "a CPU has no caching allocator that reserves"));
  append(launch_.metrics, peaks_->metrics());
  add(bytes_metric(metric::kHistory, metric::kPeakAllocated,
                   recorded_peaks_->highest(&Counts::peak_allocated_bytes)));
  add(bytes_metric(metric::kHistory, metric::kPeakRequested,
                   recorded_peaks_->highest(&Counts::peak_requested_bytes)));
}

void MemoryLaunch::add_history() {
  const MemoryTimeline timeline = timeline_of(history_, known_);
  append(launch_.metrics, timeline_metrics(timeline));
  // The report draws FP32 inference and training steps large, so their tables keep more rows.
  const Mode mode = plan_.step.mode;
  const bool drawn_large = plan_.step.precision == Precision::kFp32 &&
                           (mode == Mode::kInference || mode == Mode::kTrainStep);
  launch_.tables = {timeline_table(timeline, drawn_large ? 400 : 120),
                    allocations_table(timeline, drawn_large ? 120 : 25), largest_table(timeline)};
  const std::string warning = keep_memory_files(artifacts_, timeline);
  if (!warning.empty()) launch_.warnings.push_back(warning);
  // A block that ran out of memory would look like one that keeps little for backward.
  if (out_of_memory_ || phases(mode).size() == 1) return;
  TransformerBlockMemory block = transformer_block_memory(timeline);
  append(launch_.metrics, std::move(block.metrics));
  std::move(block.tables.begin(), block.tables.end(), std::back_inserter(launch_.tables));
}

/// Adds the forward pass's peak with AdamW's states, or with the graph of an earlier pass alive.
void MemoryLaunch::add_other_forward_peaks() {
  if (out_of_memory_) return;
  if (plan_.step.mode == Mode::kTrainStep) {
    add(bytes_metric(metric::kAlternativePeaks, metric::kForwardWithState,
                     peaks_->peak_of(Phase::kForward)));
  }
  if (plan_.step.mode != Mode::kForward) return;
  // The recorded step's graph is still alive during this step.
  PhasePeaks peaks(device_);
  const auto failure = catch_out_of_memory([&] {
    step_.run(peaks);
    synchronize(device_);
  });
  const auto peak = failure ? std::nullopt : peaks.highest(&AllocatorCounts::peak_allocated_bytes);
  add(bytes_metric(metric::kAlternativePeaks, metric::kForwardGraphAlive, peak, "out of memory"));
}

}  // namespace

Launch measure_memory(const LaunchRequest& request) {
  const TimingPlan plan = profiling_plan(request.spec);
  if (plan.step.device == DeviceKind::kCpu) count_host_allocations();
  set_tf32(plan.step.precision);
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  begin_phase(Phase::kModelBuild);
  return MemoryLaunch(plan, torch_device(plan.step.device), request.artifacts).measure();
}

}  // namespace labreport
