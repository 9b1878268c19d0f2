#include "analysis/launch_median.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "base/statistics.h"
#include "results/metric_names.h"

namespace labreport {

std::optional<double> launch_median(const CellSpec& spec, const Launch& launch) {
  if (spec.kind != CellKind::kTiming || !std::holds_alternative<Ok>(launch.outcome)) {
    return std::nullopt;
  }
  const Metric* total = launch.find(metric::kStep, metric::kTotal);
  if (total == nullptr) return std::nullopt;
  std::vector<double> steps = total->numbers();
  const auto warmup = static_cast<std::size_t>(spec.warmup.value_or(0));
  if (steps.size() <= warmup) return std::nullopt;
  steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(warmup));
  const double found = median(steps);
  return found > 0 ? std::optional(found) : std::nullopt;
}

std::vector<double> launch_medians(const Cell& cell) {
  std::vector<double> medians;
  for (const Launch& launch : cell.launches) {
    if (const auto found = launch_median(cell.spec, launch)) medians.push_back(*found);
  }
  return medians;
}

}  // namespace labreport
