// Calculates the fake worker's results for a step with checkpoints, limited by the device's memory.
#pragma once

#include <vector>

#include "plan/memory.h"
#include "results/metric_names.h"
#include "results/run.h"

namespace labreport {

inline void add_checkpoint_bytes(Launch& launch, const CellSpec& spec, std::int64_t backward_peak) {
  const std::int64_t group_size = spec.blocks_per_checkpoint.value_or(0),
                     layers = spec.model->layers;
  const std::int64_t saved = spec.blocks_per_checkpoint
                                 ? (layers + group_size - 1) / group_size * residual_bytes(spec)
                                 : layers * saved_block_bytes(spec);
  launch.metrics = {
      integer_metric(metric::kMemory, metric::kParameters, "B", parameter_bytes(*spec.model)),
      integer_metric(metric::kPeak, metric::kBackward, "B", backward_peak),
      integer_metric(metric::kCheckpoints, metric::kSaved, "B", saved)};
  if (!spec.blocks_per_checkpoint) return;
  launch.metrics.push_back(integer_metric(metric::kCheckpoints, metric::kRecomputedBytes, "B",
                                          group_size * saved_block_bytes(spec)));
}

inline void measure_checkpointing(Launch& launch, const CellSpec& spec, std::int64_t memory_bytes,
                                  double forward_ns,
                                  std::vector<std::int64_t> (*make_samples)(double, std::int64_t,
                                                                            bool)) {
  CellSpec forward_backward = spec;
  forward_backward.mode = Mode::kForwardBackward;
  const std::int64_t backward_peak = expected_peak(forward_backward).total();
  const std::int64_t peak = expected_peak(spec).total();
  if (peak > memory_bytes || backward_peak > memory_bytes)
    launch.outcome =
        OutOfMemory{metric::kBackward.data(), 2LL << 30, memory_bytes - (1LL << 30), memory_bytes};
  if (backward_peak > memory_bytes) return;
  add_checkpoint_bytes(launch, spec, backward_peak);
  if (peak > memory_bytes) return;
  const std::int64_t step_count = spec.warmup.value_or(0) + spec.steps.value_or(1);
  const double recompute_ns = spec.blocks_per_checkpoint ? forward_ns : 0;
  const auto add_samples = [&](std::string_view tag, std::string_view name, double ns) {
    launch.metrics.push_back(sample_metric(tag, name, "ns", make_samples(ns, step_count, true)));
  };
  launch.metrics.push_back(integer_metric(metric::kMemory, metric::kPeakAllocated, "B", peak));
  add_samples(metric::kStep, metric::kTotal, 3.4 * forward_ns + recompute_ns);
  add_samples(metric::kStep, metric::kEnqueue, forward_ns);
  add_samples(metric::kEvent, metric::kForward, forward_ns);
  add_samples(metric::kEvent, metric::kLoss, 0.02 * forward_ns);
  add_samples(metric::kEvent, metric::kBackward, 2 * forward_ns + recompute_ns);
  if (spec.blocks_per_checkpoint) {
    launch.metrics.push_back(integer_metric(metric::kStep, metric::kRecomputeTime, "ns",
                                            static_cast<std::int64_t>(recompute_ns)));
  }
  const std::vector<double> losses(static_cast<std::size_t>(step_count), 9.2);
  launch.metrics.push_back(
      {std::string(metric::kLosses), std::string(metric::kTotal), "1", Samples(losses), ""});
}

}  // namespace labreport
