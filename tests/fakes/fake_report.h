// Makes plausible results for the fake worker, which measures nothing.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/gpu.h"
#include "fake_all_reduce.h"
#include "fake_attention.h"
#include "fake_checkpointing.h"
#include "fake_data_parallel.h"
#include "fake_kernels.h"
#include "fake_ladder.h"
#include "fake_leaderboard.h"
#include "fake_memory.h"
#include "fake_precision.h"
#include "fake_sharding.h"
#include "plan/arithmetic.h"
#include "plan/editions.h"
#include "plan/memory.h"
#include "results/metric_names.h"
#include "results/run.h"

namespace labreport {

inline constexpr double kFlopsPerSecond = 2e12;

inline std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

inline Device device_of(const CellSpec& spec) {
  Device device;
  device.kind = spec.device;
  device.name = spec.device == DeviceKind::kCpu ? "Fake CPU" : "Fake H200";
  device.memory_bytes = 141LL << 30;
  if (spec.device == DeviceKind::kCpu) return device;
  device.uuid_hash = uuid_hash(environment_variable("CUDA_VISIBLE_DEVICES"));
  device.compute_capability = "9.0";
  device.multiprocessors = 132;
  return device;
}

/// Makes step times in ns, all different. The first is five times as long unless `is_warm` is true.
inline std::vector<std::int64_t> steps(double ns, std::int64_t count, bool is_warm = false) {
  std::vector<std::int64_t> samples;
  for (std::int64_t i = 0; i < count; ++i) {
    const double first_extra = i == 0 && !is_warm ? 4.0 : 0.0;
    const double factor = 1.0 + first_extra + 0.001 * static_cast<double>((i * 7) % 5);
    samples.push_back(static_cast<std::int64_t>(ns * factor) + i);
  }
  return samples;
}

inline void add_phases(Launch& body, const CellSpec& spec, std::string_view tag, double forward_ns,
                       std::int64_t count) {
  double end = 0;  // Enqueueing is measured from the step's start, not from the phase's.
  const auto add = [&](std::string_view phase, double duration) {
    end += duration;
    const double factor = tag == metric::kEnqueue ? end : duration;
    body.metrics.push_back(
        sample_metric(tag, phase, "ns", steps(forward_ns * factor, count, tag == metric::kSynced)));
  };
  add(metric::kForward, 1);
  if (spec.mode == Mode::kInference || spec.mode == Mode::kForward) return;
  add(metric::kLoss, 0.02);
  add(metric::kBackward, 2);
  if (spec.mode == Mode::kTrainStep) add(metric::kOptimizer, 0.3);
}

/// How many times as fast as FP32 a step of 16 bits is: the more so the larger the network.
inline double half_speedup(const CellSpec& spec) {
  const double flops = forward_flops(*spec.model, *spec.batch, *spec.context);
  return under_autocast(spec) ? std::clamp(flops / 1e12, 0.9, 6.0) : 1.0;
}

inline void measure_timing(Launch& body, const CellSpec& spec) {
  const std::int64_t timed_steps = spec.steps.value_or(1);
  const std::int64_t all_steps = spec.warmup.value_or(0) + timed_steps;
  const double flops = forward_flops(*spec.model, *spec.batch, *spec.context);
  const double speedup = half_speedup(spec);
  const double forward_ns = flops / kFlopsPerSecond * 1e9 / speedup;
  const double step_ns = forward_ns * (spec.mode == Mode::kTrainStep         ? 3.4
                                       : spec.mode == Mode::kForwardBackward ? 3.1
                                                                             : 1.0);
  body.metrics.push_back(sample_metric("step", "total", "ns", steps(step_ns, all_steps)));
  body.metrics.push_back(sample_metric("step", "enqueue", "ns", steps(step_ns * 0.5, all_steps)));
  add_phases(body, spec, metric::kEvent, forward_ns, all_steps);
  // A 16-bit step that is slower than FP32 is launch-bound.
  const double host_share = speedup < 1 ? 0.999 : 0.5;
  if (spec.device == DeviceKind::kCuda) {
    add_phases(body, spec, metric::kEnqueue, forward_ns * host_share, all_steps);
  }
  if (spec.mode == Mode::kForwardBackward || spec.mode == Mode::kTrainStep) {
    add_phases(body, spec, metric::kSynced, forward_ns * 1.01, timed_steps);
    body.metrics.push_back(
        sample_metric("synced", "total", "ns", steps(step_ns * 1.01, timed_steps, true)));
  }
  for (const auto name :
       {metric::kLibraries, metric::kDeviceContext, metric::kModelBuild, metric::kFirstKernel}) {
    body.metrics.push_back(integer_metric("start-up", name, "ns", 400'000'000));
  }
  const std::int64_t parameter_bytes_fp32 = 4 * parameter_count(*spec.model);
  const std::int64_t peak = std::max(expected_peak(spec).total(), parameter_bytes_fp32);
  body.metrics.push_back(integer_metric("memory", "parameters", "B", parameter_bytes_fp32));
  for (const auto name : {metric::kPeakAllocated, metric::kPeakReserved, metric::kPeakRequested}) {
    body.metrics.push_back(integer_metric("memory", name, "B", peak));
  }
}

inline void measure_limits(Launch& body) {
  const std::map<std::string, double> rates{
      {"fp32", 2.4e12}, {"tf32", 1.6e13}, {"bf16", 2.8e13}, {"fp16", 2.8e13}};
  for (const auto& [name, rate] : rates) {
    body.metrics.push_back(real_metric("matrix_rate", name, "flop/s", rate));
  }
  body.metrics.push_back(real_metric("copy", "bandwidth", "B/s", 4.1e12));
}

/// A profiled step runs out of memory if it does not fit by calculation, so that doubling ends.
inline void measure_kernels_if_fits(Launch& body, const LaunchRequest& request) {
  const CellSpec& spec = request.spec;
  const std::int64_t peak_bytes = expected_peak(spec).total();
  const std::int64_t memory_bytes = device_of(spec).memory_bytes;
  if (peak_bytes > memory_bytes) {
    body.outcome = OutOfMemory{"forward", 2LL << 30, memory_bytes - (1LL << 30), memory_bytes};
    return;
  }
  // Kernels of a launch-bound step take about half of its time.
  const double speedup = half_speedup(spec) < 1 ? 1.6 : half_speedup(spec);
  measure_kernels(body, request, kFlopsPerSecond * speedup, &steps);
}

inline LaunchReport good_report(const LaunchRequest& request) {
  const bool is_first_rank = !request.rendezvous || request.rendezvous->rank == 0;
  LaunchReport report;
  report.cell_id = cell_id(request.spec);
  report.launch = request.launch;
  report.device = device_of(request.spec);
  report.software.libtorch = "2.11.0";
  if (request.spec.device == DeviceKind::kCuda) report.software.driver = "580.95.05";
  if (request.spec.kind == CellKind::kTiming) measure_timing(report.body, request.spec);
  if (request.spec.kind == CellKind::kLimits) measure_limits(report.body);
  if (request.spec.kind == CellKind::kAccumulation) {
    measure_accumulation(report.body, request.spec);
  }
  if (request.spec.kind == CellKind::kDtypes) measure_dtypes(report.body, request.spec);
  if (request.spec.kind == CellKind::kLayerNorm) measure_layer_norm(report.body);
  if (request.spec.kind == CellKind::kAttention) {
    measure_attention(report.body, request.spec, report.device.memory_bytes);
  }
  if (request.spec.kind == CellKind::kAllReduce) {
    if (is_first_rank) measure_all_reduce(report.body, request.spec);
  }
  if (request.spec.kind == CellKind::kSharding) {
    const CellSpec one_rank = as_single_process(request.spec);
    const double flops = forward_flops(*one_rank.model, *one_rank.batch, *one_rank.context);
    if (is_first_rank) {
      measure_sharding(report.body, request.spec, flops / kFlopsPerSecond * 1e9, &steps);
    }
  }
  if (request.spec.kind == CellKind::kDataParallel) {
    const CellSpec& spec = request.spec;
    const double flops = forward_flops(*spec.model, *spec.batch, *spec.context);
    // The network computes twenty times as fast as in other cells, so that communication takes a
    // visible share.
    const double forward_ns = flops / kFlopsPerSecond * 1e9 / 20;
    if (is_first_rank) measure_data_parallel(report.body, spec, forward_ns, &steps);
  }
  if (request.spec.kind == CellKind::kLeaderboard && is_first_rank)
    measure_leaderboard(report.body, request.spec, &steps);
  if (request.spec.kind == CellKind::kLadder) {
    const CellSpec& spec = request.spec;
    const double flops = forward_flops(*spec.model, *spec.batch, *spec.context);
    measure_ladder(report.body, spec, 3.4 * flops / kFlopsPerSecond * 1e9, &steps);
  }
  if (request.spec.kind == CellKind::kCheckpointing) {
    const CellSpec& spec = request.spec;
    const double flops = forward_flops(*spec.model, *spec.batch, *spec.context);
    measure_checkpointing(report.body, spec, report.device.memory_bytes,
                          flops / kFlopsPerSecond * 1e9, &steps);
  }
  if (request.spec.kind == CellKind::kKernels) measure_kernels_if_fits(report.body, request);
  if (request.spec.kind == CellKind::kMemory) {
    measure_memory(report.body, request.spec, report.device.memory_bytes);
  }
  // Records the request, so that tests see what reached the worker.
  report.body.conditions.push_back(
      text_metric("test", "tf32_override", environment_variable("NVIDIA_TF32_OVERRIDE")));
  report.body.conditions.push_back(
      text_metric("test", "gpu", uuid_hash(environment_variable("CUDA_VISIBLE_DEVICES"))));
  if (!request.model) return report;
  report.software.python = "3.11.7";
  report.body.conditions.push_back(text_metric("test", "model", request.model->model));
  return report;
}

}  // namespace labreport
