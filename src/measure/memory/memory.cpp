#include "measure/catalogue.h"

#include <ATen/Context.h>

#include "engine/allocation_source.h"
#include "engine/allocation_trace.h"
#include "engine/conditions.h"
#include "engine/device.h"
#include "engine/host_allocator.h"
#include "engine/out_of_memory.h"
#include "engine/precision.h"
#include "measure/memory/block.h"
#include "measure/memory/files.h"
#include "measure/memory/lifetimes.h"
#include "measure/memory/phase_peaks.h"
#include "measure/memory/tables.h"
#include "measure/timing/timing_plan.h"
#include "model/training_step.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

Metric bytes_metric(std::string_view tag, std::string_view name, std::optional<std::int64_t> bytes,
                    std::string_view reason = "not counted here") {
  return integer_metric(tag, name, "B", bytes, reason);
}

/// The limits on rows that a run keeps of a history; the files keep all.
struct Detail {
  std::size_t instants = 0;
  std::size_t allocations = 0;
};

/// Keeps more detail of the two FP32 steps that are drawn large, since a run has dozens of others.
Detail detail_of(const StepOptions& step) {
  const bool drawn = step.mode == Mode::kInference || step.mode == Mode::kTrainStep;
  const bool large = drawn && step.precision == Precision::kFp32;
  return large ? Detail{400, 120} : Detail{120, 25};
}

void know(const at::Tensor& tensor, MemoryCategory category, KnownStorages& storages) {
  if (!tensor.defined()) return;
  storages[reinterpret_cast<std::uint64_t>(tensor.storage().data())] = category;
}

/// Returns the current storages of parameters, gradients, optimizer states, batch, tables and
/// workspace.
KnownStorages known_storages(const Network& network, const Batch& batch, const TrainingStep& step,
                             DeviceKind device) {
  KnownStorages storages;
  for (const std::uint64_t address : workspace_addresses(device)) {
    storages[address] = MemoryCategory::kWorkspace;
  }
  for (const Parameter& parameter : network.parameters()) {
    know(parameter.tensor, MemoryCategory::kParameters, storages);
    know(parameter.tensor.grad(), MemoryCategory::kGradients, storages);
  }
  for (const Parameter& moment : step.optimizer_state()) {
    know(moment.tensor, MemoryCategory::kOptimizer, storages);
  }
  for (const at::Tensor& table : network.tables()) know(table, MemoryCategory::kData, storages);
  know(batch.ids, MemoryCategory::kData, storages);
  know(batch.targets, MemoryCategory::kData, storages);
  return storages;
}

/// The history of a step, before analysis.
struct Recorded {
  MemoryHistory history;
  KnownMemory known;
};

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

  /// The step without history finishes before the allocator is observed.
  Launch measure() {
    Conditions conditions(plan_.step.device);
    conditions.begin();
    for (std::int64_t i = 0; i <= plan_.warmup && !out_of_memory_; ++i) count_step();
    record_step();
    conditions.end();
    launch_.conditions = conditions.metrics();
    add_limit();
    add_peaks();
    add_history();
    add_meanings();
    step_.clear();
    if (out_of_memory_) launch_.outcome = *out_of_memory_;
    return std::move(launch_);
  }

 private:
  void run(PhasePeaks& peaks) {
    const auto failure = out_of_memory_in([&] {
      step_.run(peaks);
      synchronize(device_);
    });
    if (!failure) return;
    peaks.failed();
    if (!out_of_memory_) out_of_memory_ = failure;
  }

  void count_step() {
    peaks_.emplace(device_);
    run(*peaks_);
    step_.clear();
  }

  /// Records a step with its history and does not clear it. A step that ran out of memory does so
  /// again here.
  void record_step() {
    recorded_.known.graph = plan_.step.mode != Mode::kInference;
    recorded_.known.before = storages();
    AllocationTrace trace(plan_.step.device);
    recorded_peaks_.emplace(device_);
    run(*recorded_peaks_);
    recorded_.history = trace.finish();
    recorded_.known.after = storages();
  }

  KnownStorages storages() const {
    return known_storages(*network_, batch_, step_, plan_.step.device);
  }

  void add(const Metric& metric) { launch_.metrics.push_back(metric); }

  void add_limit() {
    const auto limit = memory_limit(plan_.step.device);
    if (limit) launch_.conditions.push_back(bytes_metric(metric::kMemory, metric::kLimit, limit));
  }

  void add_peaks();
  void add_history();
  void add_meanings();
  std::optional<std::int64_t> peak_with_graph_alive();

  TimingPlan plan_;
  std::string artifacts_;
  c10::Device device_;
  Batch batch_;
  std::unique_ptr<Network> network_;
  TrainingStep step_;
  std::optional<PhasePeaks> peaks_;
  std::optional<PhasePeaks> recorded_peaks_;
  Recorded recorded_;
  std::optional<OutOfMemory> out_of_memory_;
  Launch launch_;
};

/// All peaks are the allocator's own statistics, not sums over the history.
void MemoryLaunch::add_peaks() {
  using Counts = AllocatorCounts;
  add(bytes_metric(metric::kMemory, metric::kParameters, count_bytes(network_->parameters())));
  add(bytes_metric(metric::kMemory, metric::kPeakAllocated,
                   peaks_->highest(&Counts::peak_allocated)));
  add(bytes_metric(metric::kMemory, metric::kPeakRequested,
                   peaks_->highest(&Counts::peak_requested)));
  const auto reserved = device_.is_cpu() ? std::nullopt : peaks_->highest(&Counts::peak_reserved);
  add(bytes_metric(metric::kMemory, metric::kPeakReserved, reserved,
                   "a CPU has no caching allocator that reserves"));
  append(launch_.metrics, peaks_->metrics());
  add(bytes_metric(metric::kHistory, metric::kPeakAllocated,
                   recorded_peaks_->highest(&Counts::peak_allocated)));
  add(bytes_metric(metric::kHistory, metric::kPeakRequested,
                   recorded_peaks_->highest(&Counts::peak_requested)));
}

void MemoryLaunch::add_history() {
  const MemoryTimeline timeline = timeline_of(recorded_.history, recorded_.known);
  append(launch_.metrics, timeline_metrics(timeline));
  const Detail detail = detail_of(plan_.step);
  launch_.tables = {timeline_table(timeline, detail.instants),
                    allocations_table(timeline, detail.allocations), largest_table(timeline)};
  const std::string trouble = keep_memory_files(artifacts_, timeline);
  if (!trouble.empty()) launch_.warnings.push_back(trouble);
  // An incomplete block would look like one that keeps little.
  if (out_of_memory_ || phases(plan_.step.mode).size() == 1) return;
  BlockMemory block = block_memory(timeline);
  append(launch_.metrics, std::move(block.metrics));
  std::move(block.tables.begin(), block.tables.end(), std::back_inserter(launch_.tables));
}

/// The recorded step was not cleared, so its graph is still alive during this one.
std::optional<std::int64_t> MemoryLaunch::peak_with_graph_alive() {
  PhasePeaks peaks(device_);
  const auto failure = out_of_memory_in([&] {
    step_.run(peaks);
    synchronize(device_);
  });
  return failure ? std::nullopt : peaks.highest(&AllocatorCounts::peak_allocated);
}

void MemoryLaunch::add_meanings() {
  if (out_of_memory_) return;
  if (plan_.step.mode == Mode::kTrainStep) {
    add(bytes_metric(metric::kMeaning, metric::kForwardWithState,
                     peaks_->peak_of(Phase::kForward)));
  }
  if (plan_.step.mode == Mode::kForward) {
    add(bytes_metric(metric::kMeaning, metric::kForwardGraphAlive, peak_with_graph_alive(),
                     "out of memory"));
  }
}

}  // namespace

Launch measure_memory(const LaunchRequest& request) {
  const TimingPlan plan = profiling_plan(request.spec);
  if (plan.step.device == DeviceKind::kCpu) count_host_allocations();
  set_tf32(plan.step.precision);
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  begin_phase(Phase::kModel);
  return MemoryLaunch(plan, torch_device(plan.step.device), request.artifacts).measure();
}

}  // namespace labreport
