#include "analysis/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "analysis/kernel_differences.h"
#include "analysis/match.h"
#include "analysis/verdict.h"
#include "base/error.h"
#include "base/format.h"
#include "plan/collectives.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr std::array<std::string_view, 8> kStandings{"matched",      "only_a",      "only_b",
                                                     "failed_a",     "failed_b",    "failed_both",
                                                     "unrecorded_a", "unrecorded_b"};

constexpr double kNanoseconds = 1e9;
constexpr double kNoticedDeparture = 1.1;

std::optional<double> rate_of(const Limits& limits, const CellSpec& spec) {
  const auto found = limits.rates.find(spec.precision.value_or(Precision::kFp32));
  return found == limits.rates.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a / *b) : std::nullopt;
}

/// A time that only GEMMs or memory bandwidth determine is inversely proportional to the measured
/// rate.
Prediction predict(const ComparedRow& row, const Limits& a, const Limits& b) {
  const Work work = work_of(row.spec, row.measure);
  if (!row.ratio || (work.flops <= 0 && work.bytes <= 0)) return {};
  Prediction prediction;
  if (work.flops > 0) {
    prediction.by_peak = quotient(rate_of(a, row.spec), rate_of(b, row.spec));
  }
  prediction.by_bandwidth = quotient(a.bandwidth, b.bandwidth);
  if (!prediction.by_peak && !prediction.by_bandwidth) return prediction;
  const double by_peak = prediction.by_peak ? *prediction.by_peak : *prediction.by_bandwidth;
  const double by_bandwidth = prediction.by_bandwidth.value_or(by_peak);
  const double nearer =
      std::clamp(*row.ratio, std::min(by_peak, by_bandwidth), std::max(by_peak, by_bandwidth));
  const double departure = *row.ratio / nearer;
  if (departure > kNoticedDeparture || departure < 1 / kNoticedDeparture) {
    prediction.departure = departure;
  }
  return prediction;
}

/// Returns a speedup for each timed row in another precision whose FP32 row is in `rows`, in the
/// order of `rows`.
std::vector<SpeedupRow> speedups_of(const std::vector<ComparedRow>& rows) {
  const auto has_speedup = [](const ComparedRow& row) {
    return row.spec.kind == CellKind::kTiming && row.measure != Measure::kFirstStep &&
           row.spec.precision;
  };
  // The key is equal for an FP32 row and the same row in another precision.
  const auto key_of = [](const ComparedRow& row) {
    CellSpec spec = row.spec;
    spec.precision.reset();
    return std::pair(cell_id(spec), row.measure);
  };
  std::map<std::pair<std::string, Measure>, const ComparedRow*> fp32_rows;
  for (const ComparedRow& row : rows) {
    if (!has_speedup(row) || row.spec.precision != Precision::kFp32) continue;
    fp32_rows.emplace(key_of(row), &row);
  }
  std::vector<SpeedupRow> speedups;
  for (const ComparedRow& row : rows) {
    if (!has_speedup(row) || row.spec.precision == Precision::kFp32) continue;
    const auto fp32 = fp32_rows.find(key_of(row));
    if (fp32 == fp32_rows.end()) continue;
    const SpeedupRow speedup{.spec = row.spec,
                             .size = row.size,
                             .measure = row.measure,
                             .a = quotient(fp32->second->a.value, row.a.value),
                             .b = quotient(fp32->second->b.value, row.b.value)};
    if (speedup.a || speedup.b) speedups.push_back(speedup);
  }
  return speedups;
}

ComparedRun describe_run(const Run& run) {
  ComparedRun side{.edition = run.edition, .preset = run.preset, .source = run.source};
  if (const ModelSource* model = measured_model(run)) side.model = model->implementation;
  side.limits = measured_limits(run);
  side.titles = provenance(run, metric::kTitle);
  side.sources = provenance(run, metric::kSource);
  side.assumed = provenance(run, metric::kAssumed);
  if (const Device* device = most_used_device(run)) {
    side.device = device->name;
    side.power_limit_watts = static_cast<double>(device->power_limit_mw) / 1e3;
    side.memory_bytes = static_cast<double>(device->memory_bytes);
  }
  // An import's session has its own time and revision, which say nothing about the numbers.
  if (run.sessions.empty() || run.source == "imported") return side;
  const Session& session = run.sessions.front();
  side.started_at = session.started_at;
  side.revision = session.revision;
  side.driver = session.software.driver;
  side.cpu = session.cpu;
  return side;
}

double geometric_mean(const std::vector<double>& values) {
  if (values.size() == 1) return values.front();  // log and exp would change the last digit
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// Sets the reason why the cell has no value for this row.
void explain_missing(const Cell& cell, RowSide& side) {
  if (cell.launches.empty()) {
    side.reason = "not measured yet";
  } else if (std::ranges::any_of(cell.launches, is_ok, &Launch::outcome)) {
    side.reason = "this number is not recorded";
    side.unrecorded = true;
  } else {
    side.reason = describe(cell.launches.back().outcome);
    side.fits = !does_not_fit(cell.launches.back().outcome);
  }
}

RowSide side_of(const Cell* cell, Measure measure, const Limits& limits) {
  RowSide side{};
  if (cell == nullptr) return side;
  side.launches = launch_values(*cell, measure);
  side.flags = disturbed_by(cell->launches);
  if (side.launches.empty()) {
    explain_missing(*cell, side);
    return side;
  }
  side.value = geometric_mean(side.launches);
  const Work work = work_of(cell->spec, measure);
  const double seconds = *side.value / kNanoseconds;
  const auto rate = rate_of(limits, cell->spec);
  if (work.flops > 0 && rate) side.peak_share = work.flops / seconds / *rate;
  if (work.bytes > 0 && limits.bandwidth) {
    side.bandwidth_share = work.bytes / seconds / *limits.bandwidth;
  }
  const auto bytes = static_cast<double>(message_bytes(measure));
  if (bytes > 0) side.busbw = bytes * bus_factor(cell->spec.ranks->count) / *side.value * 1e9;
  return side;
}

RowStanding standing_of(const CellPair& pair, const RowSide& a, const RowSide& b) {
  if (pair.b == nullptr) return RowStanding::kOnlyA;
  if (pair.a == nullptr) return RowStanding::kOnlyB;
  if (!a.value && !b.value) return RowStanding::kFailedBoth;
  if (!a.value) return a.unrecorded ? RowStanding::kUnrecordedA : RowStanding::kFailedA;
  if (!b.value) return b.unrecorded ? RowStanding::kUnrecordedB : RowStanding::kFailedB;
  return RowStanding::kMatched;
}

void add_remarks(const CellPair& pair, ComparedRow& row) {
  for (const std::string& flag : row.a.flags) row.remarks.push_back("A: " + flag);
  for (const std::string& flag : row.b.flags) row.remarks.push_back("B: " + flag);
  if (pair.a == nullptr || pair.b == nullptr) return;
  const auto steps = [](const Cell* cell) {
    return cell->spec.steps ? std::to_string(*cell->spec.steps) : std::string("unknown");
  };
  if (pair.a->spec.steps != pair.b->spec.steps) {
    row.remarks.push_back("counted steps: " + steps(pair.a) + " against " + steps(pair.b));
  }
}

/// Returns nothing if neither side has a value, unless this is the first measure of a failed cell.
std::optional<ComparedRow> row_of(const CellPair& pair, Measure measure,
                                  const Comparison& comparison) {
  const Cell& cell = pair.a == nullptr ? *pair.b : *pair.a;
  ComparedRow row{.cell = cell.id, .size = cell.spec.size, .spec = cell.spec, .measure = measure};
  if (pair.a != nullptr && pair.b != nullptr && pair.b->id != cell.id) row.cell_b = pair.b->id;
  row.a = side_of(pair.a, measure, comparison.a.limits);
  row.b = side_of(pair.b, measure, comparison.b.limits);
  row.standing = standing_of(pair, row.a, row.b);
  if (!row.a.value && !row.b.value) {
    const bool is_first = measure == measures_of(cell.spec).front();
    if (!is_first || (row.a.unrecorded && row.b.unrecorded)) return std::nullopt;
  }
  if (row.a.value && row.b.value) {
    row.ratio = ratio_of(row.a.launches, row.b.launches);
    if (std::min(row.a.launches.size(), row.b.launches.size()) >= kLaunchesForVerdict) {
      const Welch test = welch(row.a.launches, row.b.launches);
      row.interval = {test.lower, test.upper};
    }
  }
  // Devices of one model differ only by noise, and an imported table has no limits.
  if (comparison.related.relation == Relation::kDifferentHardware) {
    row.prediction = predict(row, comparison.a.limits, comparison.b.limits);
  }
  add_remarks(pair, row);
  return row;
}

/// Judges rows that have both sides and are times; bytes do not vary by chance.
void judge_rows(std::vector<ComparedRow>& rows, const JudgeOptions& options) {
  std::vector<RowSample> samples;
  std::vector<ComparedRow*> judged;
  for (ComparedRow& row : rows) {
    if (!row.ratio || unit(row.measure) != "ns") continue;
    const auto& flags = row.a.flags.empty() ? row.b.flags : row.a.flags;
    samples.push_back({row.a.launches, row.b.launches, flags.empty() ? "" : flags.front()});
    judged.push_back(&row);
  }
  const std::vector<Judged> results = judge(samples, options);
  for (std::size_t i = 0; i < results.size(); ++i) judged[i]->judged = results[i];
}

Comparison compare(const Run& a, const Run& b, const Related& related,
                   const CompareOptions& options) {
  const Matching matching = match_cells(a, b, options.allowed);
  if (matching.matched == 0) {
    const std::string difference = most_frequent_difference(a, b);
    throw InputError(
        fmt::format("nothing to compare: 0 cells match, {} only in {}, {} only in {}{}",
                    matching.only_a, options.name_a, matching.only_b, options.name_b,
                    difference.empty() ? "" : "; " + difference),
        "networks match by hyper-parameters, context, batch and precision");
  }
  Comparison comparison{.a = describe_run(a), .b = describe_run(b), .related = related};
  comparison.matched = matching.matched;
  comparison.only_a = matching.only_a;
  comparison.only_b = matching.only_b;
  comparison.mismatches = matching.mismatches;
  for (const CellPair& pair : matching.pairs) {
    const Cell& cell = pair.a == nullptr ? *pair.b : *pair.a;
    for (const Measure measure : measures_of(cell.spec)) {
      if (auto row = row_of(pair, measure, comparison)) comparison.rows.push_back(std::move(*row));
    }
  }
  // Times with other batches or vocabularies are for different work, so they allow no verdict.
  if (comparison.related.relation == Relation::kSameMachine && matching.mismatches.empty()) {
    judge_rows(comparison.rows, options.judge);
  }
  comparison.speedups = speedups_of(comparison.rows);
  comparison.kernels = kernel_changes(matching);
  comparison.differences = step_differences(matching);
  return comparison;
}

}  // namespace

std::vector<std::string> provenance(const Run& run, std::string_view name) {
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

std::string_view name(RowStanding standing) {
  return kStandings.at(static_cast<std::size_t>(standing));
}

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      rows, [&](const ComparedRow& row) { return row.judged && row.judged->verdict == verdict; }));
}

bool Comparison::can_judge() const {
  return std::ranges::any_of(rows, [](const ComparedRow& row) {
    return row.judged && (row.judged->adjusted_p || row.judged->verdict != Verdict::kUnclear);
  });
}

Comparison compare_runs(const Run& a, const Run& b, const CompareOptions& options) {
  if (measures_both_networks(a)) return compare_runs(without_labreports_network(a), b, options);
  if (measures_both_networks(b)) return compare_runs(a, without_labreports_network(b), options);
  return compare(a, b, relate(a, b), options);
}

Comparison compare_halves(const Run& run) {
  return compare(without_users_model(run), without_labreports_network(run), one_machine(run),
                 {.name_a = "labreport's network", .name_b = "the model"});
}

}  // namespace labreport
