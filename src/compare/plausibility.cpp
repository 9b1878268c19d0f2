#include "compare/plausibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/statistics.h"
#include "plan/arithmetic.h"
#include "plan/editions.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr double kSuspicious = 1.0;
constexpr double kImpossible = 1.1;
constexpr double kNoticed = 0.01;
constexpr double kNanosecondsPerSecond = 1e9;
constexpr std::int64_t kParameterBytes = 4;

/// The launches of one cell, looked at one after the other.
struct Inspection {
  const Run& run;
  const Cell& cell;
  const Launch& launch;
  std::vector<Finding>& findings;

  void warn(std::string text) const { findings.push_back({false, cell.id, std::move(text)}); }
  void refuse(std::string text) const { findings.push_back({true, cell.id, std::move(text)}); }
  std::vector<double> samples(std::string_view tag, std::string_view name) const {
    const Metric* metric = launch.find(tag, name);
    return metric == nullptr ? std::vector<double>() : metric->numbers();
  }
  std::optional<double> bytes(std::string_view name) const {
    const auto values = samples(metric::kMemory, name);
    return values.empty() ? std::nullopt : std::optional(values.front());
  }
};

/// The sustained rate measured on the same device, else on any of its kind.
std::optional<double> measured_limit(const Inspection& in) {
  if (!in.cell.spec.precision) return std::nullopt;
  std::optional<double> limit;
  for (const Cell& cell : in.run.cells) {
    if (cell.spec.kind != CellKind::kLimits || cell.spec.device != in.cell.spec.device) continue;
    for (const Launch& launch : cell.launches) {
      const Metric* rate = launch.find(metric::kMatrixRate, name(*in.cell.spec.precision));
      if (rate == nullptr || rate->numbers().empty()) continue;
      const bool same_device = launch.device == in.launch.device;
      if (same_device || !limit) limit = median(rate->numbers());
    }
  }
  return limit;
}

std::vector<double> counted_steps(const Inspection& in) {
  std::vector<double> steps = in.samples(metric::kStep, metric::kTotal);
  const auto warmup = static_cast<std::size_t>(in.cell.spec.warmup.value_or(0));
  steps.erase(steps.begin(),
              steps.begin() + static_cast<std::ptrdiff_t>(std::min(warmup, steps.size())));
  return steps;
}

void check_rate(const Inspection& in) {
  const auto limit = measured_limit(in);
  const auto steps = counted_steps(in);
  if (!limit || steps.empty() || median(steps) <= 0) return;
  const double rate = step_flops(in.cell.spec) * kNanosecondsPerSecond / median(steps);
  const double share = rate / *limit;
  if (share <= kSuspicious) return;
  const std::string text =
      fmt::format("computes {} times as fast as the device's measured limit in {}",
                  format_ratio(share), name(*in.cell.spec.precision));
  share > kImpossible ? in.refuse(text) : in.warn(text);
}

void check_samples(const Inspection& in) {
  const CellSpec& spec = in.cell.spec;
  const auto totals = in.samples(metric::kStep, metric::kTotal);
  const auto asked = static_cast<std::size_t>(spec.warmup.value_or(0) + spec.steps.value_or(0));
  if (totals.size() != asked) {
    in.refuse(
        fmt::format("{} were asked for, {} timed", format_plural(asked, "step"), totals.size()));
  }
  if (std::any_of(totals.begin(), totals.end(), [](double total) { return total <= 0; })) {
    in.refuse("a step took no time");
  }
  const auto enqueued = in.samples(metric::kStep, metric::kEnqueue);
  for (std::size_t i = 0; i < std::min(totals.size(), enqueued.size()); ++i) {
    if (enqueued[i] <= totals[i]) continue;
    return in.refuse(fmt::format("step {} was enqueued only after it was done", i + 1));
  }
}

void check_phases(const Inspection& in) {
  const auto totals = in.samples(metric::kStep, metric::kTotal);
  std::vector<double> sums(totals.size(), 0);
  for (const auto phase :
       {metric::kForward, metric::kLoss, metric::kBackward, metric::kOptimizer}) {
    const auto times = in.samples(metric::kEvent, phase);
    for (std::size_t i = 0; i < std::min(sums.size(), times.size()); ++i) sums[i] += times[i];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] <= totals[i] * kImpossible) continue;
    return in.refuse(fmt::format("the phases of step {} take longer than the step", i + 1));
  }
}

std::string words(double bytes) { return format_bytes(bytes); }

void check_memory(const Inspection& in) {
  const auto peak = in.bytes(metric::kPeakAllocated);
  const auto resident = static_cast<double>(resident_bytes(in.cell.spec));
  if (peak && *peak < resident) {
    in.refuse(fmt::format("its peak of {} is less than the {} that must be resident", words(*peak),
                          words(resident)));
  }
  const auto reserved = in.bytes(metric::kPeakReserved);
  if (peak && reserved && *reserved < *peak) {
    in.refuse(
        fmt::format("{} allocated at most, but only {} reserved", words(*peak), words(*reserved)));
  }
  if (peak && in.launch.device) {
    const auto& device = in.run.devices.at(static_cast<std::size_t>(*in.launch.device));
    const auto memory = static_cast<double>(device.memory_bytes);
    if (memory > 0 && *peak > memory) {
      in.refuse(
          fmt::format("its peak of {} is more than the device's {}", words(*peak), words(memory)));
    }
  }
}

void check_parameters(const Inspection& in) {
  const auto bytes = in.bytes(metric::kParameters);
  if (!bytes || !in.cell.spec.model) return;
  const auto expected = static_cast<double>(kParameterBytes * parameter_count(*in.cell.spec.model));
  if (*bytes != expected) {
    in.refuse(
        fmt::format("its parameters take {}, by arithmetic {}", words(*bytes), words(expected)));
  }
}

/// Halves are exact in every format: whatever their sum is off by, the device or the loop is wrong.
void check_control(const Inspection& in) {
  const auto sums = in.samples(metric::kRunning, metric::kHalvesLoop);
  const auto addend = in.samples(metric::kAddend, metric::kHalvesLoop);
  if (sums.empty() || addend.empty()) return;
  const double expected = addend.front() * static_cast<double>(sums.size());
  if (sums.back() == expected) return;
  in.refuse(
      fmt::format("{} exact halves add up to {}, not to {}", sums.size(), sums.back(), expected));
}

/// Some kernel runs for no longer than from the first one's start to the last one's end, and the
/// profiled step takes no less.
void check_profile(const Inspection& in) {
  const auto time = [&](std::string_view name) {
    const auto values = in.samples(metric::kProfile, name);
    return values.empty() ? 0.0 : values.front();
  };
  const double busy = time(metric::kBusy);
  const double span = time(metric::kSpan);
  if (busy > span) in.refuse("its kernels are busy for longer than from the first to the last");
  if (span > time(metric::kStep) * kImpossible) in.refuse("its kernels span more than the step");
  const double unattributed = time(metric::kUnattributed);
  if (unattributed > busy * kNoticed) {
    in.warn(fmt::format("{} % of its kernels' time belong to no phase",
                        format_percent(unattributed / busy)));
  }
}

void inspect(const Inspection& in) {
  if (in.cell.spec.kind == CellKind::kKernels) check_profile(in);
  if (in.cell.spec.kind == CellKind::kAccumulation) check_control(in);
  if (in.cell.spec.kind != CellKind::kTiming || !in.cell.spec.model) return;
  for (const auto check :
       {check_samples, check_phases, check_rate, check_memory, check_parameters}) {
    check(in);
  }
}

}  // namespace

std::vector<Finding> check_plausibility(const Run& run) {
  std::vector<Finding> findings;
  for (const Cell& cell : run.cells) {
    for (const Launch& launch : cell.launches) {
      if (is_ok(launch.outcome)) inspect({run, cell, launch, findings});
    }
  }
  return findings;
}

}  // namespace labreport
