#include "cli/plan_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/catalog.h"
#include "experiments/users_code.h"
#include "orchestrate/group.h"
#include "orchestrate/progress.h"
#include "plan/arithmetic.h"
#include "plan/estimate.h"
#include "plan/leaderboard.h"
#include "plan/memory.h"
#include "results/bounds.h"

namespace labreport {
namespace {

constexpr double kReportPagesBytes = 16 * kBytesPerMebibyte;
constexpr const char* kPlanLine = "{:<53} {:>8}  {:>11}  {:>11}  {}\n";

std::string approximate_time(double seconds) {
  return seconds > 0 ? "about " + format_duration(seconds) : "time not known";
}

std::string peak_words(const CellSpec& spec, const DeviceChoice& choice) {
  if (!choice.gpus.empty() && why_it_does_not_fit(spec, choice.gpus.front().memory_bytes)) {
    return "cannot fit";
  }
  if (const auto least = leaderboard::least_peak_bytes(spec))
    return "≥ " + format_bytes(static_cast<double>(*least));
  const std::int64_t peak = expected_peak(spec).total();
  return peak > 0 ? format_bytes(static_cast<double>(peak)) : "–";
}

/// Returns the calculated peak; 0 if it is not known.
std::int64_t calculated_peak(const CellSpec& spec) {
  return leaderboard::least_peak_bytes(spec).value_or(expected_peak(spec).total());
}

/// Returns the peak of a cell with an implementation as that of labreport's network in C++. A step
/// of the leaderboard's has no such counterpart.
std::int64_t foreseen_peak(CellSpec spec) {
  if (spec.kind != CellKind::kLeaderboard) spec.implementation.clear();
  return calculated_peak(spec);
}

std::string cell_line(const PlannedCell& cell, const DeviceChoice& choice) {
  const double seconds = launch_seconds(choice, cell.spec);
  CellSpec shown_spec = cell.spec;
  shown_spec.implementation.clear();  // The id contains it.
  return fmt::format(fmt::runtime(kPlanLine), cell_words(shown_spec), cell.launches,
                     seconds > 0 ? format_duration(seconds) : "–", peak_words(cell.spec, choice),
                     cell_id(cell.spec));
}

/// True if the cell's ranks need more GPUs than this host has.
bool lacks_gpus(const CellSpec& spec, const DeviceChoice& choice) {
  if (!spec.ranks || spec.device != DeviceKind::kCuda || choice.gpus.empty() || choice.is_elsewhere)
    return false;
  const std::size_t gpu_count = choice.gpus.size() + choice.rank_only_gpus.size();
  return spec.ranks->count > static_cast<std::int64_t>(gpu_count);
}

/// Returns the number of chosen GPUs that one launch occupies; 0 if it is skipped because its ranks
/// need more GPUs than there are.
double gpus_taken(const CellSpec& spec, const DeviceChoice& choice) {
  if (lacks_gpus(spec, choice)) return 0;
  const std::size_t chosen_count = std::max<std::size_t>(1, choice.gpus.size());
  return static_cast<double>(std::min(slots_needed(spec, chosen_count), chosen_count));
}

/// Adds a cell to the totals. If its calculated peak exceeds the GPU's memory, each launch leaves
/// no files and takes the time until memory runs out, or no time if the cell is skipped.
void add_cell(PlanTotals& sum, const PlannedCell& cell, const DeviceChoice& choice) {
  const auto launches = static_cast<double>(cell.launches);
  const bool on_cuda = choice.kind == DeviceKind::kCuda;
  const std::int64_t peak = on_cuda ? calculated_peak(cell.spec) : 0;
  sum.launches += static_cast<std::size_t>(cell.launches);
  sum.peak_bytes = std::max(sum.peak_bytes, peak);
  if (!choice.gpus.empty() && peak > choice.gpus.front().memory_bytes) {
    ++sum.oversized_cells;
    if (why_it_does_not_fit(cell.spec, choice.gpus.front().memory_bytes)) return;
    sum.seconds += launch_seconds_until_oom(choice, cell.spec) * launches;
    return;
  }
  sum.seconds += launch_seconds(choice, cell.spec) * launches * gpus_taken(cell.spec, choice);
  sum.disk_bytes += estimated_disk_bytes(cell.spec) * launches;
}

/// Adds the cells with their calculated outcomes. Returns true if any cell was new to the run.
bool add_foreseen(Run& run, const std::vector<PlannedCell>& cells, const DeviceChoice& choice) {
  const std::size_t former_count = run.cells.size();
  for (const PlannedCell& planned : cells) {
    Cell& cell = run.find_or_add(planned.spec);
    if (!cell.launches.empty()) continue;
    Launch& launch = cell.launches.emplace_back();
    const CellSpec& spec = planned.spec;
    if (lacks_gpus(spec, choice)) {
      launch.outcome = Skipped{"too few GPUs"};
    } else if (foreseen_peak(spec) > choice.gpus.front().memory_bytes) {
      launch.outcome = OutOfMemory{};
    }
  }
  return run.cells.size() > former_count;
}

bool compiles(const std::optional<ModelSource>& source) {
  return source && (source->compile || (source->step && source->step->compiles));
}

/// Returns the needed GPU memory in words; empty if it is unknown, as for a user's model.
std::string memory_needs(const DeviceChoice& choice, const PlanTotals& sum) {
  if (sum.peak_bytes == 0) return "";
  if (sum.oversized_cells == 0) {
    return fmt::format("up to {} of GPU memory and ",
                       format_bytes(static_cast<double>(sum.peak_bytes)));
  }
  return fmt::format("all {} of GPU memory ({} need more: each becomes a row with its reason) and ",
                     format_bytes(static_cast<double>(choice.gpus.front().memory_bytes)),
                     format_plural(static_cast<std::int64_t>(sum.oversized_cells), "cell"));
}

[[noreturn]] void refuse_empty_plan(const PlanInput& input) {
  PlanInput labreports = input;
  labreports.selection.model.reset();
  if (input.selection.model && !plan_cells(labreports, Run()).empty()) {
    const std::string_view flag = flag_of(*input.selection.model).flag;
    throw InputError(fmt::format("nothing to measure: {} is not trained in {}", flag,
                                 join_words(input.selection.only)),
                     fmt::format("leave {} out, or choose other problems", flag));
  }
  throw InputError("nothing to measure: this selection leaves no cell",
                   "widen --only, --sizes, --contexts, --precisions or --modes");
}

}  // namespace

std::vector<std::string> problems_without_code(const PlanInput& input) {
  const std::optional<ModelSource>& code = input.selection.model;
  if (!code || code->part || input.selection.only.empty()) return {};
  std::vector<std::string> left_out, labreports;
  for (const Experiment& problem : catalog()) {
    PlanInput alone = input;
    alone.selection.keeps_labreports_network = false;
    alone.selection.only = only(input.selection.only, [&](const std::string& selector) {
      return &find_experiment(selector) == &problem;
    });
    if (alone.selection.only.empty()) continue;
    const std::vector<PlannedCell> cells = plan_cells(alone, Run());
    const bool has_code = std::ranges::any_of(cells, [&](const PlannedCell& cell) {
      return cell.spec.implementation == code->implementation;
    });
    if (!has_code) (cells.empty() ? left_out : labreports).emplace_back(problem.name);
  }
  std::vector<std::string> lines;
  const std::string_view flag = flag_of(*code).flag;
  if (!left_out.empty())
    lines.push_back(fmt::format("left out beside {}: {}", flag, join_words(left_out)));
  if (!labreports.empty())
    lines.push_back(fmt::format("measured without {}: {}", flag, join_words(labreports)));
  return lines;
}

std::vector<PlannedCell> checked_plan(const PlanInput& input, const Run& so_far) {
  std::vector<PlannedCell> cells = plan_cells(input, so_far);
  if (cells.empty()) refuse_empty_plan(input);
  std::int64_t launches = 0;
  for (const PlannedCell& cell : cells) launches += cell.launches;
  if (cells.size() > kMaxCells || launches > static_cast<std::int64_t>(kMaxLaunches)) {
    throw InputError(fmt::format("a run of {} cells and {} launches", cells.size(), launches),
                     fmt::format("{} and {} are the most: narrow --sizes, --contexts, --precisions "
                                 "or --modes, or give fewer --launches",
                                 kMaxCells, kMaxLaunches));
  }
  return cells;
}

std::vector<PlannedCell> foreseen_plan(const PlanInput& input, std::vector<PlannedCell> wanted,
                                       const DeviceChoice& choice) {
  if (choice.gpus.empty()) return wanted;
  Run foreseen;
  while (add_foreseen(foreseen, wanted, choice)) {
    wanted = plan_cells(input, foreseen);
  }
  return wanted;
}

PlanTotals totals(const std::vector<PlannedCell>& cells, const DeviceChoice& choice) {
  PlanTotals sum;
  sum.cells = cells.size();
  sum.disk_bytes = kReportPagesBytes;
  for (const PlannedCell& cell : cells) add_cell(sum, cell, choice);
  sum.seconds /= static_cast<double>(std::max<std::size_t>(1, choice.gpus.size()));
  return sum;
}

std::string headline(const PlanInput& input, const DeviceChoice& choice, const PlanTotals& totals) {
  const double tenths_of_gib = std::ceil(10 * totals.disk_bytes / kBytesPerGibibyte);
  return fmt::format("{} · {} edition, {} preset · {}{}, {}{}; needs {}{} GiB of disk",
                     choice.name(), input.edition.name, name(input.preset),
                     totals.is_foreseen ? "about " : "",
                     format_plural(static_cast<std::int64_t>(totals.cells), "cell"),
                     approximate_time(totals.seconds),
                     compiles(input.selection.model) ? " and the time to compile" : "",
                     memory_needs(choice, totals), format_fixed(tenths_of_gib / 10, 1));
}

std::string plan_table(const std::vector<PlannedCell>& cells, const DeviceChoice& choice) {
  std::string text =
      fmt::format(fmt::runtime(kPlanLine), "cell", "launches", "time each", "peak memory", "id");
  for (const PlannedCell& cell : cells) text += cell_line(cell, choice);
  const PlanTotals sum = totals(cells, choice);
  return text +
         fmt::format("{}, {}, {}\n", format_plural(static_cast<std::int64_t>(sum.cells), "cell"),
                     format_plural(static_cast<std::int64_t>(sum.launches), "launch", "launches"),
                     approximate_time(sum.seconds));
}

}  // namespace labreport
