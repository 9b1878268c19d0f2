#include "experiments/common/timing.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/outliers.h"
#include "experiments/common/peak_rates.h"
#include "plan/arithmetic.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

/// How often a step of the user's gets a batch; see labreport_step.py.
constexpr std::string_view kBatchOccurrences = "batch";

std::int64_t step_count(const CellSpec& spec) {
  return spec.warmup.value_or(0) + spec.steps.value_or(0);
}

}  // namespace

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
  return launch.number(tag, name);
}

std::vector<const Cell*> cells_of(const std::vector<TimingGroup>& groups) {
  std::vector<const Cell*> cells;
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) cells.push_back(cell);
  }
  return cells;
}

bool takes_batch(const Launch& launch) {
  return launch.number(metric::kOccurrences, kBatchOccurrences) != 0;
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

const Launch* counted_launch(const RunView& view, const CellSpec& spec) {
  const Cell* cell = view.cell(CellKind::kDtypes, [&](const CellSpec& other) {
    return other.precision && same_setting(other, spec);
  });
  return cell == nullptr ? nullptr : ok_launch(*cell);
}

std::optional<double> flops_of_step(const RunView& view, const CellSpec& spec) {
  const Launch* launch = counted_launch(view, spec);
  if (launch == nullptr) return step_flops(spec);
  const auto counted = [&](std::string_view phase) {
    return single_number(*launch, metric::kFlops, phase).value_or(0);
  };
  double flops = counted(metric::kForward);
  if (has_backward(spec)) flops += counted(metric::kLoss) + counted(metric::kBackward);
  if (spec.mode == Mode::kTrainStep) flops += counted(metric::kOptimizer) + counted(metric::kOther);
  return flops > 0 ? std::optional(flops) : std::nullopt;
}

std::string utilization_name(const RunView& view) {
  return measured_model(view.run()) == nullptr ? "MFU" : "HFU";
}

std::optional<double> flops_utilization(const RunView& view, const TimedLaunch& timed) {
  const auto flops = flops_of_step(view, *timed.spec);
  const auto steps_ms = timed.ms_after_warmup(metric::kStep, metric::kTotal);
  const auto peak = peak_flop_rate(view, timed.spec->precision.value_or(Precision::kFp32));
  if (steps_ms.empty() || !flops || !peak || typical_time(steps_ms) <= 0) return std::nullopt;
  return *flops / (typical_time(steps_ms) / 1e3) / *peak;
}

std::vector<std::string> disturbances_except_slowdown(const Launch& launch) {
  std::vector<std::string> words = disturbances_of({&launch, 1});
  std::erase_if(words, [](const std::string& word) { return word.ends_with("slowdown"); });
  return words;
}

std::vector<std::string> disturbances(const TimedLaunch& timed) {
  const Launch& launch = *timed.launch;
  std::vector<std::string> words = disturbances_of({&launch, 1});
  if (launch.has_condition_above_zero(metric::kGpu, metric::kDeviceAllocations)) {
    words.emplace_back("allocated in step");
  }
  const auto varies = [&timed](std::string_view tag, std::string_view name) {
    return has_outlier(timed.ms_after_warmup(tag, name));
  };
  if (varies(metric::kStep, metric::kTotal) || varies(metric::kSynced, metric::kForward) ||
      varies(metric::kSynced, metric::kBackward) || varies(metric::kSynced, metric::kOptimizer))
    words.emplace_back("outlier");
  return words;
}

}  // namespace labreport
