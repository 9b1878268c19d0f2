// Makes results of a step with checkpoints that never ran: its bytes are calculated, up to the
// device's memory.
#pragma once

#include <vector>

#include "plan/memory.h"
#include "results/metric_names.h"
#include "results/run.h"

namespace labreport {

inline void hold_checkpoints(Launch& body, const CellSpec& spec, std::int64_t held) {
  const std::int64_t group = spec.blocks_per_checkpoint.value_or(0), layers = spec.model->layers;
  const std::int64_t saved = spec.blocks_per_checkpoint ? (layers + group - 1) / group * residual_bytes(spec)
                                        : layers * saved_block_bytes(spec);
  body.metrics = {
      integer_metric(metric::kMemory, metric::kParameters, "B", parameter_bytes(*spec.model)),
      integer_metric(metric::kPeak, metric::kBackward, "B", held),
      integer_metric(metric::kCheckpoints, metric::kSaved, "B", saved)};
  if (!spec.blocks_per_checkpoint) return;
  body.metrics.push_back(integer_metric(metric::kCheckpoints, metric::kRecomputed, "B",
                                        group * saved_block_bytes(spec)));
}

inline void measure_checkpointing(Launch& body, const CellSpec& spec, std::int64_t memory,
                                  double forward,
                                  std::vector<std::int64_t> (*steps)(double, std::int64_t, bool)) {
  CellSpec both = spec;
  both.mode = Mode::kForwardBackward;
  const std::int64_t held = expected_peak(both).total(), peak = expected_peak(spec).total();
  const OutOfMemory refused{metric::kBackward.data(), 2LL << 30, memory - (1LL << 30), memory};
  if (held > memory) body.outcome = refused;
  if (held > memory) return;
  hold_checkpoints(body, spec, held);
  if (peak > memory) body.outcome = refused;
  if (peak > memory) return;
  const std::int64_t all = spec.warmup.value_or(0) + spec.steps.value_or(1);
  const double again = spec.blocks_per_checkpoint ? forward : 0;
  const auto samples = [&](std::string_view tag, std::string_view name, double ns) {
    body.metrics.push_back(sample_metric(tag, name, "ns", steps(ns, all, true)));
  };
  body.metrics.push_back(integer_metric(metric::kMemory, metric::kPeakAllocated, "B", peak));
  samples(metric::kStep, metric::kTotal, 3.4 * forward + again);
  samples(metric::kStep, metric::kEnqueue, forward);
  samples(metric::kEvent, metric::kForward, forward);
  samples(metric::kEvent, metric::kLoss, 0.02 * forward);
  samples(metric::kEvent, metric::kBackward, 2 * forward + again);
  if (spec.blocks_per_checkpoint) {
    body.metrics.push_back(
        integer_metric(metric::kStep, metric::kRecompute, "ns", static_cast<std::int64_t>(again)));
  }
  const std::vector<double> losses(static_cast<std::size_t>(all), 9.2);
  body.metrics.push_back(
      {std::string(metric::kLosses), std::string(metric::kTotal), "1", Samples(losses), ""});
}

}  // namespace labreport
