#include "cli/plan_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/format.h"
#include "experiments/catalog.h"
#include "orchestrate/progress.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/bounds.h"

namespace labreport {
namespace {

constexpr const char* kPlanLine = "{:<53} {:>8}  {:>11}  {:>11}  {}\n";

std::string about(double seconds) {
  return seconds > 0 ? "about " + format_duration(seconds) : "time not known";
}

std::string memory_words(const CellSpec& spec, const DeviceChoice& choice) {
  if (!choice.gpus.empty() && cannot_fit(spec, choice.gpus.front().memory_bytes)) {
    return "cannot fit";
  }
  const std::int64_t peak = expected_peak(spec).total();
  return peak > 0 ? format_bytes(static_cast<double>(peak)) : "–";
}

std::string line(const PlannedCell& cell, const DeviceChoice& choice) {
  const double seconds = estimate_seconds(choice, cell.spec);
  CellSpec shown = cell.spec;
  shown.implementation.clear();  // its id names it
  return fmt::format(fmt::runtime(kPlanLine), cell_words(shown), cell.launches,
                     seconds > 0 ? format_duration(seconds) : "–", memory_words(cell.spec, choice),
                     cell_id(cell.spec));
}

}  // namespace

std::vector<PlannedCell> checked_plan(const PlanInput& input, const Run& so_far) {
  std::vector<PlannedCell> cells = plan_cells(input, so_far);
  if (cells.empty()) {
    throw InputError("nothing to measure: this selection leaves no cell",
                     "widen --only, --sizes, --contexts, --precisions or --modes");
  }
  std::int64_t launches = 0;
  for (const PlannedCell& cell : cells) launches += cell.launches;
  if (cells.size() > kMostCells || launches > static_cast<std::int64_t>(kMostLaunches)) {
    throw InputError(fmt::format("a run of {} cells and {} launches", cells.size(), launches),
                     fmt::format("{} and {} are the most: narrow --sizes, --contexts, --precisions "
                                 "or --modes, or give fewer --launches",
                                 kMostCells, kMostLaunches));
  }
  return cells;
}

PlanTotals totals(const std::vector<PlannedCell>& cells, const DeviceChoice& choice) {
  PlanTotals sum;
  sum.cells = cells.size();
  for (const PlannedCell& cell : cells) {
    sum.launches += static_cast<std::size_t>(cell.launches);
    sum.seconds += estimate_seconds(choice, cell.spec) * static_cast<double>(cell.launches);
  }
  sum.seconds /= static_cast<double>(std::max<std::size_t>(1, choice.gpus.size()));
  return sum;
}

std::string headline(const PlanInput& input, const DeviceChoice& choice, const PlanTotals& totals) {
  return fmt::format(
      "{} · {} edition, {} preset · {}, {}{}", choice.name(), input.edition.name,
      name(input.preset), format_plural(static_cast<std::int64_t>(totals.cells), "cell"),
      about(totals.seconds),
      input.selection.model && input.selection.model->compile ? " and the time to compile" : "");
}

std::string plan_table(const std::vector<PlannedCell>& cells, const DeviceChoice& choice) {
  std::string text =
      fmt::format(fmt::runtime(kPlanLine), "cell", "launches", "time each", "peak memory", "id");
  for (const PlannedCell& cell : cells) text += line(cell, choice);
  const PlanTotals sum = totals(cells, choice);
  return text +
         fmt::format("{}, {}, {}\n", format_plural(static_cast<std::int64_t>(sum.cells), "cell"),
                     format_plural(static_cast<std::int64_t>(sum.launches), "launch", "launches"),
                     about(sum.seconds));
}

}  // namespace labreport
