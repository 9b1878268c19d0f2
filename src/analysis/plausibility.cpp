#include "analysis/plausibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/statistics.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/run_labels.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

/// The limits of each device by its index, and those of all devices without one.
using LimitsByDevice = std::map<std::optional<std::int64_t>, Limits>;

/// A launch that is checked, with what it is checked against.
struct Inspection {
  const Run& run;
  const LimitsByDevice& limits;
  const Cell& cell;
  const Launch& launch;
  std::vector<Finding>& findings;

  void warn(std::string text) const { findings.push_back({false, cell.id, std::move(text)}); }
  void add_error(std::string text) const { findings.push_back({true, cell.id, std::move(text)}); }
  std::optional<double> bytes(std::string_view name) const {
    return launch.number(metric::kMemory, name);
  }
};

// The rate of a launch over that of the fastest GEMM, or the time of a part over that of its step.
constexpr double kSuspiciousRatio = 1.0;
constexpr double kImpossibleRatio = 1.1;
// A CPU's measured limits are too low if other programs ran meanwhile.
constexpr double kImpossibleRatioOnCpu = 10;
constexpr double kUnevenVariation = 0.5;        // Standard deviation of steps over their mean.
constexpr double kSlowForwardRatio = 3;         // Forward time over that in another mode.
constexpr double kMaxUnattributedShare = 0.01;  // Kernel time of no phase over all kernel time.

/// Returns the rate of the fastest GEMM, in FLOP/s, on the launch's device, else on any device.
std::optional<double> peak_gemm_rate(const Inspection& in) {
  if (!in.cell.spec.precision) return std::nullopt;
  for (const auto& device : {in.launch.device, std::optional<std::int64_t>()}) {
    const auto limits = in.limits.find(device);
    if (limits == in.limits.end()) continue;
    const auto& rates = limits->second.peak_gemm_rates;
    const auto peak = rates.find(*in.cell.spec.precision);
    if (peak != rates.end()) return peak->second;
  }
  return std::nullopt;
}

std::vector<double> counted_steps(const Inspection& in) {
  return after_warmup(in.launch.numbers(metric::kStep, metric::kTotal),
                      in.cell.spec.warmup.value_or(0));
}

void check_rate(const Inspection& in, double flops_per_second) {
  const double ratio = flops_per_second / peak_gemm_rate(in).value_or(flops_per_second);
  if (ratio <= kSuspiciousRatio) return;
  const std::string text =
      fmt::format("computes {} times as fast as the device's fastest GEMM in {}",
                  format_ratio(ratio), name(*in.cell.spec.precision));
  const bool on_cpu = in.cell.spec.device == DeviceKind::kCpu;
  const double impossible = on_cpu ? kImpossibleRatioOnCpu : kImpossibleRatio;
  ratio > impossible ? in.add_error(text) : in.warn(text);
}

void check_step_rate(const Inspection& in) {
  const auto flops = step_flops(in.cell.spec);
  const auto steps = counted_steps(in);
  if (!flops || steps.empty() || median(steps) <= 0) return;
  check_rate(in, *flops * kNanosecondsPerSecond / median(steps));
}

/// Checks the highest forward rate of all sequence lengths. Fused kernels are not checked in FP32,
/// because they may compute it in faster formats.
void check_attention_rate(const Inspection& in) {
  const bool is_fused = in.cell.spec.attention->backend != AttentionBackend::kEager;
  if (is_fused && in.cell.spec.precision == Precision::kFp32) return;
  double fastest = 0;
  for (const MeasuredRow& row : measured_rows(in.launch, metric::kAttention)) {
    const auto length = row.number(column::kLength);
    const auto ns = row.number(attention_column(metric::kForward, "median_ns"));
    if (!length || !ns || *ns <= 0) continue;
    const double flops = attention_flops(in.cell.spec, static_cast<std::int64_t>(*length));
    fastest = std::max(fastest, flops * kNanosecondsPerSecond / *ns);
  }
  if (fastest > 0) check_rate(in, fastest);
}

void check_spread(const Inspection& in) {
  const auto steps = counted_steps(in);
  if (steps.size() < 2) return;
  const double variation = summarize(steps).coefficient_of_variation();
  if (variation <= kUnevenVariation) return;
  in.warn(fmt::format("its steps vary by {} %: other work ran beside them",
                      format_rough_percent(variation)));
}

/// Returns the median device time of the forward pass over the counted steps, in ns. The process's
/// first step never counts, because it loads kernels.
std::optional<double> forward_ns(const Inspection& in) {
  const auto warmup = std::max<std::int64_t>(1, in.cell.spec.warmup.value_or(0));
  const auto times = after_warmup(in.launch.numbers(metric::kEvent, metric::kForward), warmup);
  return times.empty() ? std::nullopt : std::optional(median(times));
}

/// All modes of a network start with the same forward pass. If it takes far longer in one mode than
/// in another, other work kept the device busy.
void check_forward(const Inspection& in) {
  const auto ns = forward_ns(in);
  if (!ns) return;
  for (const Cell& cell : in.run.cells) {
    const bool is_timing =
        cell.spec.kind == CellKind::kTiming && cell.spec.device == in.cell.spec.device;
    if (!is_timing || !same_setting(cell.spec, in.cell.spec)) continue;
    for (const Launch& launch : cell.launches) {
      const auto other_ns = forward_ns({in.run, in.limits, cell, launch, in.findings});
      if (!is_ok(launch.outcome) || !other_ns || *other_ns <= 0) continue;
      if (*ns <= kSlowForwardRatio * *other_ns) continue;
      return in.warn(fmt::format("its forward pass takes {} times as long as in {}",
                                 format_factor(*ns / *other_ns), cell.id));
    }
  }
}

void check_samples(const Inspection& in) {
  const CellSpec& spec = in.cell.spec;
  const auto totals = in.launch.numbers(metric::kStep, metric::kTotal);
  const auto step_count =
      static_cast<std::size_t>(spec.warmup.value_or(0) + spec.steps.value_or(0));
  if (totals.size() == step_count) return;
  in.add_error(
      fmt::format("{} were asked for, {} timed", format_plural(step_count, "step"), totals.size()));
}

void check_phases(const Inspection& in) {
  const auto totals = in.launch.numbers(metric::kStep, metric::kTotal);
  std::vector<double> sums(totals.size(), 0);
  for (const auto phase :
       {metric::kForward, metric::kLoss, metric::kBackward, metric::kOptimizer}) {
    const auto times = in.launch.numbers(metric::kEvent, phase);
    for (std::size_t i = 0; i < std::min(sums.size(), times.size()); ++i) sums[i] += times[i];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] <= totals[i] * kImpossibleRatio) continue;
    return in.add_error(fmt::format("the phases of step {} take longer than the step", i + 1));
  }
}

/// Checks the sum of halves, which are exact in every format: only a fault makes it wrong.
void check_sum_of_halves(const Inspection& in) {
  const auto sums = in.launch.numbers(metric::kRunningSum, metric::kExactLoop);
  const auto addend = in.launch.numbers(metric::kAddend, metric::kExactLoop);
  if (sums.empty() || addend.empty()) return;
  const double expected = addend.front() * static_cast<double>(sums.size());
  if (sums.back() == expected) return;
  in.add_error(
      fmt::format("{} exact halves add up to {}, not to {}", sums.size(), sums.back(), expected));
}

void check_profile(const Inspection& in) {
  // The device's clock times the kernels' span, the host's the step, so they may differ a little.
  const auto span = in.launch.number(metric::kProfile, metric::kSpan);
  const auto step = in.launch.number(metric::kProfile, metric::kStep);
  if (span && step && *span > *step * kImpossibleRatio)
    in.add_error("its kernels span more than the step");
  const auto busy = in.launch.number(metric::kProfile, metric::kBusy);
  const auto unattributed = in.launch.number(metric::kProfile, metric::kUnattributed);
  if (!busy || !unattributed || *busy == 0 || *unattributed <= *busy * kMaxUnattributedShare)
    return;
  in.warn(fmt::format("{} % of its kernels' time belong to no phase",
                      format_percent(*unattributed / *busy)));
}

constexpr double kMaxUnknownShare = 0.01;  // Bytes of unknown use over the requested peak.
// Relative tolerance: allocated bytes of consecutive steps were seen to differ by up to 0.09 %.
constexpr double kAllocatedTolerance = 0.002;

void check_memory(const Inspection& in) {
  const auto peak = in.bytes(metric::kPeakAllocated);
  const auto resident = static_cast<double>(resident_bytes(in.cell.spec).value_or(0));
  if (peak && *peak < resident) {
    in.add_error(fmt::format("its peak of {} is less than the {} that must be resident",
                             format_bytes(*peak), format_bytes(resident)));
  }
  if (peak && in.launch.device) {
    const auto& device = in.run.devices.at(static_cast<std::size_t>(*in.launch.device));
    const auto memory = static_cast<double>(device.memory_bytes);
    // Some drivers let a process use the host's memory too.
    const bool spilled = in.launch.has_condition_above_zero(metric::kGpu, metric::kSpilled);
    if (memory > 0 && *peak > memory && !spilled) {
      in.add_error(fmt::format("its peak of {} is more than the device's {}", format_bytes(*peak),
                               format_bytes(memory)));
    }
  }
  const auto bytes = in.bytes(metric::kParameters);
  const auto parameters = known_parameter_count(in.cell.spec);
  if (!bytes || !parameters) return;
  const auto expected = static_cast<double>(*parameters * sizeof(float));
  if (*bytes != expected) {
    in.add_error(fmt::format("its parameters take {}, by arithmetic {}", format_bytes(*bytes),
                             format_bytes(expected)));
  }
}

/// Compares peaks with those of steps whose memory history is recorded. Recording must not change
/// the requested bytes at all. Allocated bytes may differ slightly, because the allocator's blocks
/// depend on the steps before.
void check_history(const Inspection& in) {
  for (const auto& [name, tolerance] : {std::pair(metric::kPeakRequested, 0.0),
                                        std::pair(metric::kPeakAllocated, kAllocatedTolerance)}) {
    const auto plain = in.bytes(name);
    const auto with_history = in.launch.number(metric::kHistory, name);
    if (!plain || !with_history) continue;
    if (std::abs(*with_history - *plain) <= tolerance * *plain) continue;
    in.add_error(fmt::format("its {} is {} B, with its history recorded {} B", name,
                             format_fixed(*plain, 0), format_fixed(*with_history, 0)));
  }
  if (in.launch.number(metric::kHistory, metric::kLostEvents).value_or(0) > 0) {
    in.warn("events of its history were lost");
  }
}

void check_categories(const Inspection& in) {
  const auto peak = in.bytes(metric::kPeakRequested);
  double sum = 0;
  bool has_category = false, all_known = true;
  for (const Metric& metric : in.launch.metrics) {
    if (metric.tag != metric::kCategory) continue;
    has_category = true;
    all_known = all_known && metric.number();
    sum += metric.number().value_or(0);
  }
  if (!peak || !has_category) return;
  if (all_known && sum != *peak) {
    in.add_error(fmt::format("its categories add up to {}, its requested peak is {}",
                             format_bytes(sum), format_bytes(*peak)));
  }
  const double unknown = in.launch.number(metric::kCategory, metric::kUnknown).value_or(0);
  if (unknown > kMaxUnknownShare * *peak) {
    in.warn(fmt::format("{} of its peak are of unknown use", format_bytes(unknown)));
  }
}

/// Reports a rank whose parameters, gradients and optimizer state exceed its allocated bytes.
void check_rank_bytes(const Inspection& in) {
  for (const MeasuredRow& row : measured_rows(in.launch, metric::kHeld)) {
    const auto allocated = row.number(column::kAllocatedBytes);
    double known = 0;
    for (const auto part :
         {column::kParameterBytes, column::kGradientBytes, column::kOptimizerBytes})
      known += row.number(part).value_or(0);
    if (!allocated || known <= *allocated) continue;
    return in.add_error(fmt::format("a rank holds {} of parameters, gradients and state in {}",
                                    format_bytes(known), format_bytes(*allocated)));
  }
}

/// Reports measured metrics, negative published numbers, and published means of 0.
void check_published(const Inspection& in) {
  for (const Metric& metric : in.launch.metrics) {
    const bool is_deviation = metric.tag == metric::kPublishedStddev;
    if (metric.tag != metric::kPublished && !is_deviation) {
      in.add_error(fmt::format("'{}' of '{}' was measured, in a run of imported numbers",
                               metric.name, metric.tag));
    }
    const double value = metric.number().value_or(1);
    if (value < 0 || (value == 0 && !is_deviation)) {
      in.add_error(fmt::format("its published {} is {}", metric.name, value));
    }
  }
}

void inspect(const Inspection& in) {
  if (in.run.source == kSourceImported) return check_published(in);
  const bool has_published = std::ranges::any_of(in.launch.metrics, [](const Metric& metric) {
    return metric.tag == metric::kPublished || metric.tag == metric::kPublishedStddev;
  });
  if (has_published) in.add_error("published numbers in a run of measured ones");
  if (in.cell.spec.kind == CellKind::kKernels) check_profile(in);
  if (in.cell.spec.kind == CellKind::kAccumulation) check_sum_of_halves(in);
  if (in.cell.spec.attention) check_attention_rate(in);
  if (!in.cell.spec.model) return;
  if (in.cell.spec.kind == CellKind::kMemory) {
    for (const auto check : {check_memory, check_history, check_categories}) check(in);
  }
  if (in.cell.spec.kind == CellKind::kSharding) check_rank_bytes(in);
  if (in.cell.spec.kind != CellKind::kTiming) return;
  for (const auto check :
       {check_samples, check_phases, check_step_rate, check_spread, check_forward, check_memory}) {
    check(in);
  }
}

}  // namespace

std::vector<Finding> check_plausibility(const Run& run) {
  std::vector<Finding> findings;
  LimitsByDevice limits{{std::nullopt, measured_limits(run)}};
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    const auto device = static_cast<std::int64_t>(i);
    limits[device] = measured_limits(run, device);
  }
  for (const Cell& cell : run.cells) {
    for (const Launch& launch : cell.launches) {
      if (is_ok(launch.outcome)) inspect({run, limits, cell, launch, findings});
    }
  }
  return findings;
}

}  // namespace labreport
