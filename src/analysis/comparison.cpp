#include "analysis/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/kernel_differences.h"
#include "base/error.h"
#include "base/format.h"
#include "base/outliers.h"
#include "base/statistics.h"
#include "plan/collectives.h"
#include "results/leaderboard_rung.h"
#include "results/metric_names.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

ComparedRun compared_run(const Run& run) {
  ComparedRun side{.edition = run.edition, .preset = run.preset, .source = run.source};
  if (const ModelSource* model = measured_model(run)) side.implementation = model->implementation;
  side.limits = measured_limits(run);
  side.table_titles = provenance_texts(run, metric::kTitle);
  side.table_sources = provenance_texts(run, metric::kSource);
  side.assumptions = provenance_texts(run, metric::kAssumed);
  if (const Device* device = most_used_device(run)) {
    side.device = device->name;
    side.power_limit_watts = static_cast<double>(device->power_limit_mw) / 1e3;
    side.memory_bytes = static_cast<double>(device->memory_bytes);
  }
  // An import's session records when the table was imported, not when its numbers were measured.
  if (run.sessions.empty() || run.source == kSourceImported) return side;
  const Session& session = run.sessions.front();
  side.started_at = session.started_at;
  side.revision = session.revision;
  side.driver = session.software.driver;
  side.cpu = session.cpu;
  return side;
}

double geometric_mean(const std::vector<double>& values) {
  if (values.size() == 1) return values.front();  // Log and exp would change the last digit.
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// Sets the reason why the cell has no value for this row.
void explain_missing(const Cell& cell, RowSide& side) {
  if (cell.launches.empty()) {
    side.missing_reason = "not measured yet";
  } else if (std::ranges::any_of(cell.launches, is_ok, &Launch::outcome)) {
    side.missing_reason = "this number is not recorded";
    side.unrecorded = true;
  } else {
    side.missing_reason = describe(cell.launches.back().outcome);
    side.fits = !does_not_fit(cell.launches.back().outcome);
  }
}

RowSide side_of(const Cell* cell, Measure measure) {
  RowSide side{};
  if (cell == nullptr) return side;
  side.launch_values = launch_values(*cell, measure);
  side.disturbances = disturbances_of(cell->launches);
  if (side.launch_values.empty()) {
    explain_missing(*cell, side);
    return side;
  }
  side.value = geometric_mean(side.launch_values);
  const auto bytes = static_cast<double>(message_bytes(measure));
  if (bytes > 0)
    side.busbw = bytes * bus_factor(cell->spec.ranks->count) / *side.value * kNanosecondsPerSecond;
  return side;
}

RowStatus status_of(const CellPair& pair, const RowSide& a, const RowSide& b) {
  if (pair.b == nullptr) return RowStatus::kOnlyA;
  if (pair.a == nullptr) return RowStatus::kOnlyB;
  if (!a.value && !b.value) return RowStatus::kFailedBoth;
  if (!a.value) return a.unrecorded ? RowStatus::kUnrecordedA : RowStatus::kFailedA;
  if (!b.value) return b.unrecorded ? RowStatus::kUnrecordedB : RowStatus::kFailedB;
  return RowStatus::kMatched;
}

void add_remarks(const CellPair& pair, ComparedRow& row) {
  for (const std::string& words : row.a.disturbances) row.remarks.push_back("A: " + words);
  for (const std::string& words : row.b.disturbances) row.remarks.push_back("B: " + words);
  if (pair.a == nullptr || pair.b == nullptr) return;
  const auto steps = [](const Cell* cell) {
    return cell->spec.steps ? std::to_string(*cell->spec.steps) : std::string("unknown");
  };
  if (pair.a->spec.steps != pair.b->spec.steps) {
    row.remarks.push_back("counted steps: " + steps(pair.a) + " against " + steps(pair.b));
  }
}

/// Returns the row of a pair's measure. If neither side has a value, only the first measure gets a
/// row, and none does if both cells ran without recording the number.
std::optional<ComparedRow> row_of(const CellPair& pair, Measure measure) {
  const Cell& cell = pair.a == nullptr ? *pair.b : *pair.a;
  ComparedRow row{
      .cell_id = cell.id, .size = cell.spec.size, .spec = cell.spec, .measure = measure};
  if (pair.a != nullptr && pair.b != nullptr && pair.b->id != cell.id) row.cell_id_b = pair.b->id;
  row.a = side_of(pair.a, measure);
  row.b = side_of(pair.b, measure);
  row.status = status_of(pair, row.a, row.b);
  if (!row.a.value && !row.b.value) {
    const bool is_first = measure == measures_of(cell.spec).front();
    if (!is_first || (row.a.unrecorded && row.b.unrecorded)) return std::nullopt;
  }
  if (row.a.value && row.b.value) {
    row.ratio = ratio_of(row.a.launch_values, row.b.launch_values);
    if (std::min(row.a.launch_values.size(), row.b.launch_values.size()) >= kLaunchesForVerdict) {
      const WelchTest test = welch_test(row.a.launch_values, row.b.launch_values);
      row.interval = {test.lower, test.upper};
    }
  }
  add_remarks(pair, row);
  return row;
}

/// Adds judgments to the rows that have times on both sides. Bytes get none, because they do not
/// vary by chance.
void add_judgments(std::vector<ComparedRow>& rows) {
  std::vector<RowSample> samples;
  std::vector<ComparedRow*> judged_rows;
  for (ComparedRow& row : rows) {
    if (!row.ratio || unit(row.measure) != "ns") continue;
    const auto& disturbances = row.a.disturbances.empty() ? row.b.disturbances : row.a.disturbances;
    const std::string disturbance = disturbances.empty() ? "" : disturbances.front();
    samples.push_back({row.a.launch_values, row.b.launch_values, disturbance});
    judged_rows.push_back(&row);
  }
  const std::vector<Judgment> judgments = judge_rows(samples);
  for (std::size_t i = 0; i < judgments.size(); ++i) judged_rows[i]->judgment = judgments[i];
}

/// Returns the range of the cell's step, over its counted steps and over the unprofiled steps of
/// its profile. An outlier does not count.
std::optional<std::pair<double, double>> range_of_steps(const Run& run, const Cell& timed) {
  std::optional<std::pair<double, double>> range;
  for (const Cell& cell : run.cells) {
    const bool is_profile = cell.spec.kind == CellKind::kKernels && cell.spec.steps != 0 &&
                            cell.spec.mode == timed.spec.mode &&
                            same_setting(cell.spec, timed.spec);
    if (!is_profile && &cell != &timed) continue;
    for (const Launch& launch : cell.launches) {
      const Metric* step =
          is_ok(launch.outcome) ? launch.find(metric::kStep, metric::kTotal) : nullptr;
      if (step == nullptr || !step->is_samples()) continue;
      // A profile records no warm-up steps.
      const std::vector<double> times = without_outlier(
          after_warmup(step->numbers(), is_profile ? 0 : cell.spec.warmup.value_or(0)));
      if (times.empty()) continue;
      const Summary steps = summarize(times);
      const double low = steps.mean - steps.stddev, high = steps.mean + steps.stddev;
      range = range ? std::pair(std::min(range->first, low), std::max(range->second, high))
                    : std::pair(low, high);
    }
  }
  return range;
}

/// Gives both sides of the run's steps their ranges, where launches are too few for a verdict.
void add_ranges(const Run& run, std::vector<ComparedRow>& rows) {
  for (ComparedRow& row : rows) {
    if (row.measure != Measure::kStep || row.cell_id_b.empty() || row.interval) continue;
    row.a.range = range_of_steps(run, *run.find(row.cell_id));
    row.b.range = range_of_steps(run, *run.find(row.cell_id_b));
  }
}

std::vector<TracedPart> traced_parts_of(const Cell* cell) {
  if (cell == nullptr) return {};
  const auto launch = std::ranges::find_if(cell->launches, is_ok, &Launch::outcome);
  return launch == cell->launches.end() ? std::vector<TracedPart>() : traced_parts(*launch);
}

std::vector<TracedRung> traced_rungs(const Matching& matching) {
  std::vector<TracedRung> rungs;
  for (const auto& [a, b] : matching.pairs) {
    const CellSpec& spec = (a == nullptr ? b : a)->spec;
    if (!leaderboard_rung(spec) || spec.repeats) continue;
    rungs.push_back({spec, traced_parts_of(a), traced_parts_of(b)});
  }
  return rungs;
}

Comparison compare(const Run& a, const Run& b, const MachineRelation& machines,
                   const CompareOptions& options) {
  const Matching matching = match_cells(a, b, options.allowed_mismatches);
  if (matching.matched_cells == 0) {
    const std::string difference = most_frequent_difference(a, b);
    throw InputError(
        fmt::format("nothing to compare: 0 cells match, {} only in {}, {} only in {}{}",
                    matching.cells_only_in_a, options.name_a, matching.cells_only_in_b,
                    options.name_b, difference.empty() ? "" : "; " + difference),
        "networks match by hyper-parameters, context, batch and precision");
  }
  Comparison comparison{.a = compared_run(a), .b = compared_run(b), .machines = machines};
  comparison.matched_cells = matching.matched_cells;
  comparison.cells_only_in_a = matching.cells_only_in_a;
  comparison.cells_only_in_b = matching.cells_only_in_b;
  comparison.mismatches = matching.mismatches;
  for (const CellPair& pair : matching.pairs) {
    const Cell& cell = pair.a == nullptr ? *pair.b : *pair.a;
    for (const Measure measure : measures_of(cell.spec)) {
      if (auto row = row_of(pair, measure)) comparison.rows.push_back(std::move(*row));
    }
  }
  // With a mismatch in batch or vocabulary the sides did different work, which allows no verdict.
  if (comparison.machines.relation == Relation::kSameMachine && matching.mismatches.empty()) {
    add_judgments(comparison.rows);
  }
  comparison.step_differences = step_differences(matching);
  comparison.traced_rungs = traced_rungs(matching);
  return comparison;
}

}  // namespace

std::vector<std::string> provenance_texts(const Run& run, std::string_view name) {
  std::vector<std::string> texts;
  for (const Cell& cell : run.cells) {
    for (const Launch& launch : cell.launches) {
      const Metric* metric = launch.find_condition(metric::kProvenance, name);
      if (metric == nullptr || metric->is_samples()) continue;
      const auto* text = std::get_if<std::string>(&std::get<Scalar>(metric->data));
      if (text != nullptr && std::ranges::find(texts, *text) == texts.end()) {
        texts.push_back(*text);
      }
    }
  }
  return texts;
}

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count_if(rows, [&](const ComparedRow& row) {
    return row.judgment && row.judgment->verdict == verdict;
  }));
}

bool Comparison::allows_verdicts() const {
  return std::ranges::any_of(rows, [](const ComparedRow& row) {
    return row.judgment && (row.judgment->adjusted_p || row.judgment->verdict != Verdict::kUnclear);
  });
}

Comparison compare_runs(const Run& a, const Run& b, const CompareOptions& options) {
  if (measures_both_networks(a)) return compare_runs(without_labreports_network(a), b, options);
  if (measures_both_networks(b)) return compare_runs(a, without_labreports_network(b), options);
  return compare(a, b, relate_machines(a, b), options);
}

Comparison compare_two_models(const Run& run) {
  Comparison comparison =
      compare(without_users_model(run), without_labreports_network(run), relation_within_run(run),
              {.name_a = "labreport's network", .name_b = "the model"});
  add_ranges(run, comparison.rows);
  return comparison;
}

}  // namespace labreport
