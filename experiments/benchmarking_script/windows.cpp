#include "experiments/benchmarking_script/windows.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "experiments/benchmarking_script/plan.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr std::array<std::size_t, 4> kWarmups{0, 1, 2, 5};

std::vector<Window> windows_of(const std::vector<double>& steps, std::size_t warmup,
                               std::size_t count) {
  std::vector<Window> windows;
  const auto add = [&](std::size_t skipped) {
    const std::vector<double> counted = window(steps, skipped, count);
    if (counted.size() == count && count > 0) windows.push_back({skipped, summarize(counted)});
  };
  for (const std::size_t skipped : kWarmups) {
    if (skipped < warmup) add(skipped);
  }
  add(warmup);
  return windows;
}

std::vector<double> first_steps(const TimingGroup& group, Mode mode) {
  std::vector<double> firsts;
  const auto add = [&](const std::map<Mode, const Cell*>& cells) {
    const auto found = cells.find(mode);
    if (found == cells.end()) return;
    for (const Launch& launch : found->second->launches) {
      const auto steps = milliseconds(launch, metric::kStep, metric::kTotal);
      if (is_ok(launch.outcome) && !steps.empty()) firsts.push_back(steps.front());
    }
  };
  add(group.cells);
  add(group.first_only);
  return firsts;
}

std::vector<std::int64_t> step_allocations(const Launch& launch) {
  const Metric* metric = launch.find(metric::kStep, metric::kDeviceAllocations);
  if (metric == nullptr) return {};
  const std::vector<double> counts = metric->numbers();
  return {counts.begin(), counts.end()};
}

}  // namespace

std::string step_words(Mode mode) {
  return std::string(describe(mode)) + (mode == Mode::kTrainStep ? "" : " step");
}

double WarmupRow::mean_rise(std::size_t warmup) const {
  for (const Window& window : windows) {
    if (window.warmup == warmup) return window.summary.mean / windows.back().summary.mean - 1;
  }
  return 0;
}

double WarmupRow::step_rise(std::size_t step) const {
  if (step >= steps.size() || windows.empty()) return 0;
  return steps[step] / windows.back().summary.median - 1;
}

double WarmupRow::spread() const {
  return windows.empty() ? 0 : windows.back().summary.coefficient_of_variation();
}

std::int64_t WarmupRow::allocations_in(std::size_t step) const {
  return step < allocations.size() ? allocations[step] : 0;
}

std::vector<WarmupRow> warmup_rows(const Edition& edition, const std::vector<TimingGroup>& groups) {
  std::vector<WarmupRow> rows;
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) {
      const auto found = timed(group, mode);
      if (!found || !is_warmup_mode(edition, mode)) continue;
      WarmupRow row{group.label,
                    mode,
                    milliseconds(*found->launch, metric::kStep, metric::kTotal),
                    first_steps(group, mode),
                    step_allocations(*found->launch),
                    {}};
      row.windows = windows_of(row.steps, static_cast<std::size_t>(found->spec->warmup.value_or(0)),
                               static_cast<std::size_t>(found->spec->steps.value_or(0)));
      if (!row.windows.empty()) rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace labreport::benchmarking_script
