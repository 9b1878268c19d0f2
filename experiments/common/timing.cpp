#include "experiments/common/timing.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <utility>

#include "analysis/measures.h"
#include "base/format.h"
#include "plan/arithmetic.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr double kWaitsBelow = 0.05;  // Below this PhaseLag::lag_ratio the device waits for work.
constexpr double kBusyFrom = 0.8;     // From this PhaseLag::busy_ratio on, kernels set the pace.
constexpr std::array kPhases{metric::kForward, metric::kLoss, metric::kBackward,
                             metric::kOptimizer};
// In a normal distribution, seven median absolute deviations above the median are as far out as
// three interquartile ranges above the upper quartile. Unlike quartiles, the median absolute
// deviation stays meaningful even if almost half of the samples are outliers.
constexpr double kOutlierDeviations = 7;
constexpr double kOutlierRatio = 1.05;

std::int64_t step_count(const CellSpec& spec) {
  return spec.warmup.value_or(0) + spec.steps.value_or(0);
}

/// Returns a profile of the step's mode, or of a longer one with gradients if the step has
/// gradients. Returns null if no such profile ran.
const Launch* profile_of(const RunView& view, const CellSpec& step) {
  const bool has_grad = step.mode != Mode::kInference;
  const auto profiles = view.cells(CellKind::kKernels, [&](const CellSpec& spec) {
    return same_setting(spec, step) && spec.steps != 0 && spec.mode >= step.mode &&
           has_grad == (spec.mode != Mode::kInference);
  });
  for (const Cell* cell : profiles) {
    if (const Launch* launch = ok_launch(*cell)) return launch;
  }
  return nullptr;
}

}  // namespace

bool has_outlier(const std::vector<double>& steps_ms) {
  if (steps_ms.size() < 4) return false;
  const double median_ms = median(steps_ms);
  std::vector<double> deviations;
  for (const double ms : steps_ms) deviations.push_back(std::abs(ms - median_ms));
  const double longest_ms = std::ranges::max(steps_ms);
  return longest_ms - median_ms > kOutlierDeviations * median(deviations) &&
         longest_ms > kOutlierRatio * median_ms;
}

std::vector<TimingGroup> timing_groups(const RunView& view) {
  std::vector<TimingGroup> groups;
  for (const Cell* cell : view.cells(CellKind::kTiming)) {
    auto group = std::ranges::find_if(
        groups, [&](const TimingGroup& known) { return same_setting(known.spec, cell->spec); });
    if (group == groups.end()) {
      group = groups.insert(group, TimingGroup{.spec = cell->spec});
      group->spec.mode.reset();
    }
    const Mode mode = cell->spec.mode.value_or(Mode::kForward);
    const Cell*& longest = group->cells[mode];
    const Cell* shorter = cell;
    if (longest == nullptr || step_count(cell->spec) > step_count(longest->spec)) {
      std::swap(longest, shorter);
    }
    if (shorter == nullptr) continue;
    if (shorter->spec.warmup == 0 && shorter->spec.steps == 1) {
      group->first_step_cells[mode] = shorter;
    } else {
      group->window_cells.push_back(shorter);
    }
  }
  label_groups(groups);
  return groups;
}

void label_groups(std::vector<TimingGroup>& groups) {
  std::set<std::int64_t> contexts;
  std::set<std::optional<Precision>> precisions;
  for (const TimingGroup& group : groups) {
    contexts.insert(group.spec.context.value_or(0));
    precisions.insert(group.spec.precision);
  }
  for (TimingGroup& group : groups) {
    const bool shows_precision = precisions.size() > 1 && group.spec.precision;
    const std::string precision =
        shows_precision ? ", " + std::string(describe(*group.spec.precision)) : "";
    group.context =
        contexts.size() > 1 ? std::optional(group.spec.context.value_or(0)) : std::nullopt;
    group.name = group.spec.size + precision;
    group.label =
        group.spec.size + (group.context ? ", " + format_count(*group.context) : "") + precision;
  }
}

std::optional<double> single_number(const Launch& launch, std::string_view tag,
                                    std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  return metric == nullptr ? std::nullopt : metric->number();
}

std::vector<const Cell*> cells_of(const std::vector<TimingGroup>& groups) {
  std::vector<const Cell*> cells;
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) cells.push_back(cell);
  }
  return cells;
}

std::optional<TimedLaunch> timed_launch(const TimingGroup& group, Mode mode) {
  const auto cell = group.cells.find(mode);
  if (cell == group.cells.end()) return std::nullopt;
  const Launch* launch = ok_launch(*cell->second);
  if (launch == nullptr) return std::nullopt;
  return TimedLaunch{&cell->second->spec, launch};
}

std::vector<double> TimedLaunch::ms_after_warmup(std::string_view tag,
                                                 std::string_view name) const {
  const std::vector<double> all = milliseconds(*launch, tag, name);
  const bool lacks_warmup = tag == metric::kSynced;  // Synchronized steps run last, already warm.
  const auto warmup = static_cast<std::size_t>(lacks_warmup ? 0 : spec->warmup.value_or(0));
  return window(all, warmup, static_cast<std::size_t>(spec->steps.value_or(0)));
}

std::optional<TimedLaunch> longest_timed_launch(const TimingGroup& group) {
  for (const Mode mode : kModes | std::views::reverse) {
    if (auto step = timed_launch(group, mode)) return step;
  }
  return std::nullopt;
}

std::string reason_missing(const TimingGroup& group, Mode mode) {
  const auto cell = group.cells.find(mode);
  return cell == group.cells.end() ? "" : reason_missing(*cell->second);
}

std::vector<PhaseLag> device_lags(const RunView& view, const TimedLaunch& timed) {
  const Launch* profile = profile_of(view, *timed.spec);
  std::vector<PhaseLag> lags;
  std::vector<double> finished_ms;  // From each step's start until the device finished the phase.
  for (const auto phase : kPhases) {
    const auto durations = timed.ms_after_warmup(metric::kEvent, phase);
    const auto enqueued = timed.ms_after_warmup(metric::kEnqueue, phase);
    if (durations.empty() || durations.size() != enqueued.size()) continue;
    finished_ms.resize(durations.size(), 0);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < durations.size(); ++i) {
      finished_ms[i] += durations[i];
      if (durations[i] > 0) ratios.push_back((finished_ms[i] - enqueued[i]) / durations[i]);
    }
    if (phase == metric::kLoss || ratios.empty()) continue;
    lags.push_back({phase, median(ratios), std::nullopt});
    const auto busy_ms =
        profile ? single_milliseconds(*profile, metric::kBusy, phase) : std::nullopt;
    if (busy_ms) lags.back().busy_ratio = *busy_ms / mean(durations);
  }
  return lags;
}

bool is_launch_bound(const PhaseLag& lag) {
  return lag.lag_ratio < kWaitsBelow && !(lag.busy_ratio && *lag.busy_ratio >= kBusyFrom);
}

std::optional<Bound> bound_of(const RunView& view, const TimedLaunch& timed) {
  const std::vector<PhaseLag> lags = device_lags(view, timed);
  if (lags.empty()) return std::nullopt;
  if (std::ranges::none_of(lags, is_launch_bound)) return Bound::kDevice;
  return std::ranges::all_of(lags, is_launch_bound) ? Bound::kLaunch : Bound::kMixed;
}

std::string_view describe(Bound bound) {
  if (bound == Bound::kMixed) return "mixed";
  return bound == Bound::kLaunch ? "launch-bound" : "GPU-bound";
}

std::optional<double> busy_share(const RunView& view, const CellSpec& step) {
  const Cell* cell = view.cell(CellKind::kKernels, [&](const CellSpec& spec) {
    return same_setting(spec, step) && spec.mode == step.mode && spec.steps != 0;
  });
  const Launch* launch = cell == nullptr ? nullptr : ok_launch(*cell);
  if (launch == nullptr) return std::nullopt;
  const auto busy_ms = single_milliseconds(*launch, metric::kProfile, metric::kBusy);
  const std::vector<double> steps_ms = milliseconds(*launch, metric::kStep, metric::kTotal);
  // If the steps are shorter than the profiled kernels, the profile does not describe them.
  if (!busy_ms || steps_ms.empty() || *busy_ms > mean(steps_ms)) return std::nullopt;
  return *busy_ms / mean(steps_ms);
}

std::optional<double> measured_gemm_rate(const RunView& view, Precision precision) {
  const auto rates = measured_limits(view.run()).matrix_rates;
  const auto rate = rates.find(precision);
  return rate == rates.end() ? std::nullopt : std::optional(rate->second);
}

std::optional<double> model_flops_utilization(const RunView& view, const TimedLaunch& timed) {
  const auto flops = step_flops(*timed.spec);
  const auto steps_ms = timed.ms_after_warmup(metric::kStep, metric::kTotal);
  const auto rate = measured_gemm_rate(view, timed.spec->precision.value_or(Precision::kFp32));
  if (steps_ms.empty() || !flops || !rate || mean(steps_ms) <= 0) return std::nullopt;
  return *flops / (mean(steps_ms) / 1e3) / *rate;
}

std::vector<std::string> disturbances_except_slowdown(const Launch& launch) {
  std::vector<std::string> words = disturbances_of({&launch, 1});
  std::erase_if(words, [](const std::string& word) { return word.ends_with("slowdown"); });
  return words;
}

std::vector<std::string> disturbances(const TimedLaunch& timed) {
  const Launch& launch = *timed.launch;
  std::vector<std::string> words = disturbances_of({&launch, 1});
  if (condition_above_zero(launch, metric::kGpu, metric::kDeviceAllocations)) {
    words.emplace_back("allocated in step");
  }
  if (has_outlier(timed.ms_after_warmup(metric::kStep, metric::kTotal)))
    words.emplace_back("outlier");
  return words;
}

}  // namespace labreport
