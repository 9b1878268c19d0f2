// Runs of one cell for tests of their plausibility.
#pragma once

#include <stdexcept>

#include "analysis/plausibility.h"
#include "plan/arithmetic.h"
#include "plan/editions.h"

namespace labreport::testing_samples {

inline constexpr double kLimit = 50e12;

inline Launch limits_launch() {
  Launch launch;
  launch.device = 0;
  launch.metrics = {real_metric("matrix_rate", "fp32", "flop/s", kLimit)};
  return launch;
}

inline CellSpec limits_spec() {
  CellSpec spec;
  spec.kind = CellKind::kLimits;
  return spec;
}

inline CellSpec timing_spec() {
  CellSpec spec;
  spec.size = "small";
  spec.model = find_edition("2025").sizes.front().shape;
  spec.context = 512;
  spec.batch = 4;
  spec.precision = Precision::kFp32;
  spec.mode = Mode::kForward;
  spec.warmup = 1;
  spec.steps = 2;
  return spec;
}

/// A launch whose counted steps run at `share` of the limit.
inline Launch timing_launch(double share) {
  const auto ns = static_cast<std::int64_t>(*step_flops(timing_spec()) / (kLimit * share) * 1e9);
  const std::int64_t parameters = *resident_bytes(timing_spec());
  Launch launch;
  launch.device = 0;
  launch.metrics = {sample_metric("step", "total", "ns", {9 * ns, ns, ns}),
                    sample_metric("step", "enqueue", "ns", {ns / 2, ns / 2, ns / 2}),
                    sample_metric("event", "forward", "ns", {ns, ns, ns}),
                    integer_metric("memory", "parameters", "B", parameters),
                    integer_metric("memory", "peak_allocated", "B", 2 * parameters),
                    integer_metric("memory", "peak_reserved", "B", 3 * parameters)};
  return launch;
}

inline std::vector<Finding> findings(const Launch& launch) {
  Run run;
  Device device;
  device.memory_bytes = 80LL << 30;
  run.devices = {device};
  run.find_or_add(limits_spec()).launches = {limits_launch()};
  run.find_or_add(timing_spec()).launches = {launch};
  return check_plausibility(run);
}

inline Metric& metric_of(Launch& launch, const std::string& tag, const std::string& name) {
  for (Metric& metric : launch.metrics) {
    if (metric.tag == tag && metric.name == name) return metric;
  }
  throw std::runtime_error(name);
}

}  // namespace labreport::testing_samples
