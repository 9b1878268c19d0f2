// Calculates the fake worker's ladder: each variant's step is faster than the one before.
#pragma once

#include <utility>
#include <vector>

#include "results/metric_names.h"
#include "results/run.h"

namespace labreport {

inline void measure_ladder(Launch& body, const CellSpec& spec, double first_rung_ns,
                           std::vector<std::int64_t> (*steps)(double, std::int64_t, bool)) {
  const bool compiled = !spec.implementation.empty();
  const Variant variant = compiled ? Variant::kCudaGraph : spec.variant.value_or(Variant::kMatmul);
  if (variant == Variant::kCudaGraph && spec.device == DeviceKind::kCpu) {
    body.outcome = Skipped{"a CUDA graph needs a GPU"};
    return;
  }
  const auto rung = static_cast<std::int64_t>(variant) + (compiled ? 1 : 0);
  const double step_ns = first_rung_ns / static_cast<double>(1 + rung);
  const std::int64_t step_count = spec.warmup.value_or(0) + spec.steps.value_or(1);
  // Eager steps of a small network leave the device idle for a third of the time, others seldom.
  const double eager_share = spec.size == "small" ? 0.66 : 0.95;
  const double busy_ns = step_ns * (variant == Variant::kCudaGraph ? 0.99 : eager_share);
  std::vector<double> losses;
  for (std::int64_t i = 0; i < step_count; ++i) losses.push_back(9.2 / static_cast<double>(1 + i));
  body.metrics = {
      sample_metric(metric::kStep, metric::kTotal, "ns", steps(step_ns, step_count, false)),
      sample_metric(metric::kStep, metric::kEnqueue, "ns", steps(step_ns / 2, step_count, false)),
      {std::string(metric::kLosses), std::string(metric::kTotal), "1", Samples(losses), ""},
      integer_metric(metric::kMemory, metric::kPeakAllocated, "B", (8 - rung) << 30),
      integer_metric(metric::kProfile, metric::kBusy, "ns", static_cast<std::int64_t>(busy_ns)),
      integer_metric(metric::kProfile, metric::kKernels, "1", 2500 - 400 * rung)};
  // A replayed graph has no phases.
  for (const auto& [phase, share] :
       {std::pair{metric::kForward, 0.3}, {metric::kBackward, 0.6}, {metric::kOptimizer, 0.1}}) {
    if (variant == Variant::kCudaGraph && !compiled) break;
    body.metrics.push_back(
        integer_metric(metric::kBusy, phase, "ns", static_cast<std::int64_t>(share * busy_ns)));
  }
  if (compiled) {
    body.metrics.push_back(
        integer_metric(metric::kStartUp, metric::kCompile, "ns", 30'000'000'000));
  }
}

}  // namespace labreport
