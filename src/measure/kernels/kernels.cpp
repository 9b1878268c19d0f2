#include "measure/catalog.h"

#include <ATen/Context.h>

#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "engine/device.h"
#include "engine/nvtx_ranges.h"
#include "engine/precision.h"
#include "engine/profiler.h"
#include "measure/kernels/activity.h"
#include "measure/kernels/host_calls.h"
#include "measure/kernels/kernel_tables.h"
#include "measure/kernels/trace_file.h"
#include "measure/timing/step_series.h"
#include "results/metric_names.h"
#include "results/run_store.h"

namespace labreport {
namespace {

/// The range that an external profiler captures.
constexpr const char* kMeasured = "measured";

/// Runs steps without the profiler.
StepSeries run_series(TrainingStep& step, const TimingPlan& plan, std::int64_t count) {
  StepSeries series(step, plan.step.mode, torch_device(plan.step.device), PhaseClock::kEvents);
  for (std::int64_t i = 0; i < count; ++i) series.run_one();
  return series;
}

/// Writes the trace file. If that fails, for example on a full disk, the measurement is kept.
void keep_trace(Launch& launch, const std::string& artifacts, const Trace& trace,
                const std::vector<Attribution>& kernels) try {
  if (artifacts.empty()) return;
  const std::filesystem::path file = artifacts + artifact::kTrace;
  make_writable_folder(file.parent_path());
  write_atomically(file, chrome_trace(trace, kernels), Sync::kNothing);
} catch (const Error& error) {
  launch.warnings.push_back(std::string("the trace was not kept: ") + error.what());
}

void add_profile(Launch& launch, const LaunchRequest& request, const Profile& profile) {
  const std::string reason = reason_without_kernels(request.spec.device, profile.trace);
  if (!reason.empty()) {
    launch.outcome = Failed{reason};
    return;
  }
  const std::vector<Attribution> kernels = attribute(profile.trace);
  append(launch.metrics,
         {integer_metric(metric::kProfile, metric::kProfilerPrepare, "ns", profile.prepare_ns),
          integer_metric(metric::kProfile, metric::kStep, "ns", profile.work_ns),
          integer_metric(metric::kProfile, metric::kProfilerCollect, "ns", profile.collect_ns)});
  append(launch.metrics, activity_metrics(kernels));
  append(launch.metrics, runtime_metrics(profile.trace));
  const bool is_first_step = request.spec.warmup == 0 && request.spec.steps == 0;
  if (is_first_step) append(launch.metrics, first_launch_metrics(profile.trace));
  launch.tables = kernel_tables(kernels, request.gpu_trace);
  keep_trace(launch, request.artifacts, profile.trace, kernels);
}

}  // namespace

Launch measure_kernels(const LaunchRequest& request) {
  const TimingPlan plan = profiling_plan(request.spec);
  set_tf32(plan.step.precision);
  at::manual_seed(static_cast<std::uint64_t>(request.seed));
  const c10::Device device = torch_device(plan.step.device);
  const Batch batch = plan.random_batch(device);
  const std::unique_ptr<Network> network = make_network(plan.network, device);
  synchronize(device);
  TrainingStep step(*network, batch, plan.step);
  const std::optional<std::int64_t> compile_ns = step.compile();
  run_series(step, plan, plan.warmup);
  Launch launch;
  if (plan.steps > 0) {
    StepMemory memory(device, count_bytes(network->parameters()));
    launch.metrics = run_series(step, plan, plan.steps).step_metrics();
    memory.end();
    append(launch.metrics, memory.metrics());
    append(launch.metrics, occurrence_metrics(*network, batch));
  }
  if (compile_ns) {
    launch.metrics.push_back(integer_metric(metric::kStartUp, metric::kCompile, "ns", *compile_ns));
  }
  const auto run_once = [&] {
    NullPhaseObserver observer;
    step.run(observer);
    synchronize(device);
  };
  if (request.nvtx) {
    NvtxRanges ranges;
    const RangeObserverScope scope(ranges);
    const Range measured(kMeasured);
    run_once();
  } else {
    profile(plan.step.device, [] {});  // the profiler's setup, which the next profile leaves out
    add_profile(launch, request, profile(plan.step.device, run_once));
  }
  step.clear();
  return launch;
}

}  // namespace labreport
