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

constexpr double kKeepsUpBelow = 0.05;  // With a smaller PhaseLag::share the device waits for work.
constexpr double kBusyFrom = 0.8;       // From this PhaseLag::busy on, kernels set the pace.
constexpr std::array kPhases{metric::kForward, metric::kLoss, metric::kBackward,
                             metric::kOptimizer};
// In a normal distribution seven median absolute deviations above the median are as far out as
// three interquartile ranges above the upper quartile. Unlike quartiles, they stay meaningful even
// if almost half of the samples are outliers.
constexpr double kFarDeviations = 7;
constexpr double kOutlierAtLeast = 1.05;

std::int64_t all_steps(const CellSpec& spec) {
  return spec.warmup.value_or(0) + spec.steps.value_or(0);
}

/// A profile in the step's mode or, unless that is inference, in a longer one; null if none ran.
const Launch* profile_of(const RunView& view, const CellSpec& step) {
  const bool grad = step.mode != Mode::kInference;
  const auto profiles = view.cells(CellKind::kKernels, [&](const CellSpec& spec) {
    return same_setting(spec, step) && spec.steps != 0 && spec.mode >= step.mode &&
           grad == (spec.mode != Mode::kInference);
  });
  for (const Cell* cell : profiles) {
    if (const Launch* launch = ok_launch(*cell)) return launch;
  }
  return nullptr;
}

}  // namespace

bool has_outlier(const std::vector<double>& steps) {
  if (steps.size() < 4) return false;
  const double center = median(steps);
  std::vector<double> deviations;
  for (const double step : steps) deviations.push_back(std::abs(step - center));
  const double longest = std::ranges::max(steps);
  return longest - center > kFarDeviations * median(deviations) &&
         longest > kOutlierAtLeast * center;
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
    if (longest == nullptr || all_steps(cell->spec) > all_steps(longest->spec)) {
      std::swap(longest, shorter);
    }
    if (shorter == nullptr) continue;
    if (shorter->spec.warmup == 0 && shorter->spec.steps == 1) {
      group->first_only[mode] = shorter;
    } else {
      group->others.push_back(shorter);
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
    const bool several = precisions.size() > 1 && group.spec.precision;
    const std::string precision =
        several ? ", " + std::string(describe(*group.spec.precision)) : "";
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

std::optional<Timed> timed(const TimingGroup& group, Mode mode) {
  const auto cell = group.cells.find(mode);
  if (cell == group.cells.end()) return std::nullopt;
  const Launch* launch = ok_launch(*cell->second);
  if (launch == nullptr) return std::nullopt;
  return Timed{&cell->second->spec, launch};
}

std::vector<double> Timed::counted(std::string_view tag, std::string_view name) const {
  const std::vector<double> all = milliseconds(*launch, tag, name);
  const bool separate_set = tag == metric::kSynced;  // Its steps follow the warm-up.
  const auto warmup = static_cast<std::size_t>(separate_set ? 0 : spec->warmup.value_or(0));
  return window(all, warmup, static_cast<std::size_t>(spec->steps.value_or(0)));
}

std::optional<Timed> fullest(const TimingGroup& group) {
  for (const Mode mode : kModes | std::views::reverse) {
    if (auto step = timed(group, mode)) return step;
  }
  return std::nullopt;
}

std::string reason_missing(const TimingGroup& group, Mode mode) {
  const auto cell = group.cells.find(mode);
  return cell == group.cells.end() ? "" : reason_missing(*cell->second);
}

std::vector<PhaseLag> device_lags(const RunView& view, const Timed& timed) {
  const Launch* profile = profile_of(view, *timed.spec);
  std::vector<PhaseLag> lags;
  std::vector<double> device;  // From each step's start until the device finished the phase, in ms.
  for (const auto phase : kPhases) {
    const auto durations = timed.counted(metric::kEvent, phase);
    const auto enqueued = timed.counted(metric::kEnqueue, phase);
    if (durations.empty() || durations.size() != enqueued.size()) continue;
    device.resize(durations.size(), 0);
    std::vector<double> shares;
    for (std::size_t i = 0; i < durations.size(); ++i) {
      device[i] += durations[i];
      if (durations[i] > 0) shares.push_back((device[i] - enqueued[i]) / durations[i]);
    }
    if (phase == metric::kLoss || shares.empty()) continue;
    lags.push_back({phase, median(shares), std::nullopt});
    const auto busy = profile ? single_milliseconds(*profile, metric::kBusy, phase) : std::nullopt;
    if (busy) lags.back().busy = *busy / mean(durations);
  }
  return lags;
}

bool launch_bound(const PhaseLag& lag) {
  return lag.share < kKeepsUpBelow && !(lag.busy && *lag.busy >= kBusyFrom);
}

std::optional<Bound> bound(const RunView& view, const Timed& timed) {
  const std::vector<PhaseLag> lags = device_lags(view, timed);
  if (lags.empty()) return std::nullopt;
  const auto bound_by_launches = std::ranges::count_if(lags, launch_bound);
  if (bound_by_launches == 0) return Bound::kDevice;
  return static_cast<std::size_t>(bound_by_launches) == lags.size() ? Bound::kLaunch
                                                                    : Bound::kMixed;
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
  const auto busy = single_milliseconds(*launch, metric::kProfile, metric::kBusy);
  const std::vector<double> steps = milliseconds(*launch, metric::kStep, metric::kTotal);
  // If the steps are shorter than the profiled kernels, the profile does not describe them.
  if (!busy || steps.empty() || *busy > mean(steps)) return std::nullopt;
  return *busy / mean(steps);
}

std::optional<double> matrix_rate(const RunView& view, Precision precision) {
  const auto rates = measured_limits(view.run()).matrix_rates;
  const auto rate = rates.find(precision);
  return rate == rates.end() ? std::nullopt : std::optional(rate->second);
}

std::optional<double> share_of_peak(const RunView& view, const Timed& timed) {
  const auto flops = step_flops(*timed.spec);
  const auto steps = timed.counted(metric::kStep, metric::kTotal);
  const auto rate = matrix_rate(view, timed.spec->precision.value_or(Precision::kFp32));
  if (steps.empty() || !flops || !rate || mean(steps) <= 0) return std::nullopt;
  return *flops / (mean(steps) / 1e3) / *rate;
}

std::vector<std::string> crowding(const Launch& launch) {
  std::vector<std::string> words = disturbances_of({&launch, 1});
  std::erase_if(words, [](const std::string& word) { return word.ends_with("slowdown"); });
  return words;
}

std::vector<std::string> disturbances(const Timed& timed) {
  const Launch& launch = *timed.launch;
  std::vector<std::string> words = disturbances_of({&launch, 1});
  if (condition_above_zero(launch, metric::kGpu, metric::kDeviceAllocations)) {
    words.emplace_back("allocated in step");
  }
  if (has_outlier(timed.counted(metric::kStep, metric::kTotal))) words.emplace_back("outlier");
  return words;
}

}  // namespace labreport
