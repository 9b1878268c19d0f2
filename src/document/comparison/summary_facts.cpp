// How the sides compare as a whole: training steps by precision, the optimizer, and what explains
// them.
#include <algorithm>
#include <cmath>

#include "analysis/verdict.h"
#include "base/format.h"
#include "base/statistics.h"
#include "base/text.h"
#include "document/comparison/diff_facts.h"

namespace labreport {
namespace {

/// As far as a ratio may lie from the one limit that binds.
constexpr double kNear = 1.1;
/// As far as it may lie outside two limits and still be called between them.
constexpr double kBetween = 1.01;
constexpr Precision kPrecisions[]{Precision::kFp32, Precision::kTf32, Precision::kBf16,
                                  Precision::kFp16};

/// The faster side first: how many times as fast it is.
struct Lead {
  bool of_b = false;
  double times = 1;
  std::vector<const ComparedRow*> rows;
  std::vector<double> ratios;  ///< Of each row.

  bool is_equal() const { return std::log(times) < std::log1p(JudgeOptions().smallest_effect); }
  /// A limit of A over the same of B, as what it predicts of this lead.
  double predicted(double a_over_b) const { return of_b ? 1 / a_over_b : a_over_b; }
};

template <typename Wanted>
std::optional<Lead> lead(const Comparison& comparison, const Wanted& wanted) {
  std::vector<double> ratios;
  std::vector<const ComparedRow*> rows;
  for (const ComparedRow& row : comparison.rows) {
    if (!row.ratio || !wanted(row)) continue;
    ratios.push_back(*row.ratio);
    rows.push_back(&row);
  }
  if (ratios.empty()) return std::nullopt;
  const bool of_b = median(ratios) < 1;
  if (of_b) {
    for (double& ratio : ratios) ratio = 1 / ratio;
  }
  return Lead{of_b, median(ratios), std::move(rows), std::move(ratios)};
}

/// "small", "small 1.17×, large 1.10×", "median of 12 networks".
std::string whose(const Lead& lead, const char* rows) {
  constexpr std::size_t kNamed = 5, kLongest = 40;  // of what a sentence can carry
  const std::optional<std::int64_t> context = lead.rows.front()->spec.context;
  std::vector<std::string> sizes;
  std::string words;
  for (std::size_t i = 0; i < lead.rows.size(); ++i) {
    const std::string size = cut_short(lead.rows[i]->size, kLongest);
    const bool seen = std::ranges::find(sizes, size) != sizes.end();
    if (lead.rows[i]->spec.context != context || seen) continue;
    words += (sizes.empty() ? "" : ", ") + size + " " + format_ratio(lead.ratios[i]) + "×";
    sizes.push_back(size);
  }
  const bool named = sizes.size() == lead.rows.size() && sizes.size() <= kNamed;
  if (named) return sizes.size() == 1 ? sizes.front() : words;
  return "median of " + format_plural(static_cast<std::int64_t>(lead.rows.size()), rows);
}

Facts facts_of(const Lead& lead, const Comparison& comparison, const char* rows) {
  const auto [a, b] = names_of(comparison);
  Facts facts;
  facts.set("first", lead.of_b ? b : a);
  facts.set("second", lead.of_b ? a : b);
  facts.set("times", format_ratio(lead.times));
  facts.set("whose", whose(lead, rows));
  return facts;
}

/// What limits say of a ratio of times: A's over B's.
struct Predicted {
  std::optional<double> by_peak, by_bandwidth;
};

Predicted predicted(const Comparison& comparison, Precision precision) {
  // On one model nothing but noise sets the limits apart.
  if (comparison.related.relation != Relation::kDifferentHardware) return {};
  const auto& [a, b] = std::pair(comparison.a.limits, comparison.b.limits);
  Predicted said;
  if (a.rates.contains(precision) && b.rates.contains(precision))
    said.by_peak = a.rates.at(precision) / b.rates.at(precision);
  if (a.bandwidth && b.bandwidth) said.by_bandwidth = *a.bandwidth / *b.bandwidth;
  return said;
}

bool from_single_launches(const ComparedRow& row) {
  return row.ratio && row.a.launches.size() == 1 && row.b.launches.size() == 1;
}

bool is_step(const ComparedRow& row) { return row.measure == Measure::kStep; }

bool is_all_reduce(const ComparedRow& row) { return message_bytes(row.measure) > 0; }

/// Of one process: what ranks do together is no other network.
bool is_training(const ComparedRow& row) {
  return is_step(row) && row.spec.mode == Mode::kTrainStep && !row.spec.ranks;
}

/// The situation of training steps in one precision, and its values.
std::pair<std::string, Facts> step_situation(const Lead& lead, const Comparison& comparison,
                                             Precision precision) {
  Facts facts = facts_of(lead, comparison, "network");
  facts.set("precision", describe(precision));
  if (lead.is_equal()) return {"alike", facts};
  const Predicted limits = predicted(comparison, precision);
  if (!limits.by_peak || !limits.by_bandwidth) return {"plain", facts};
  // Times are the inverse of rates: the side with the higher limit leads.
  const double peak = lead.predicted(*limits.by_peak);
  const double bandwidth = lead.predicted(*limits.by_bandwidth);
  facts.set("peak", format_ratio(peak));
  facts.set("bandwidth", format_ratio(bandwidth));
  const auto [low, high] = std::minmax(peak, bandwidth);
  const bool within = lead.times > low / kBetween && lead.times < high * kBetween;
  return {within ? "explained" : "unexplained", facts};
}

void add_steps(Facts& facts, const Comparison& comparison) {
  std::map<std::string, std::vector<Facts>> lists{
      {"explained", {}}, {"unexplained", {}}, {"plain", {}}, {"alike", {}}};
  for (const Precision precision : kPrecisions) {
    const auto found = lead(comparison, [&](const ComparedRow& row) {
      return is_training(row) && row.spec.precision == precision;
    });
    if (!found) continue;
    auto [name, values] = step_situation(*found, comparison, precision);
    lists.at(name).push_back(std::move(values));
  }
  for (auto& [name, list] : lists) facts.list(name, std::move(list));
}

/// It works in FP32 whatever the passes do: the first precision that was compared speaks for it.
std::optional<Lead> optimizer_lead(const Comparison& comparison) {
  for (const Precision precision : kPrecisions) {
    auto found = lead(comparison, [precision](const ComparedRow& row) {
      return row.measure == Measure::kOptimizer && row.spec.precision == precision;
    });
    if (found) return found;
  }
  return std::nullopt;
}

void add_optimizer(Facts& facts, const Comparison& comparison) {
  const auto found = optimizer_lead(comparison);
  std::string holds;
  Facts values;
  if (found && !found->is_equal()) {
    values = facts_of(*found, comparison, "network");
    const auto limit = predicted(comparison, Precision::kFp32).by_bandwidth;
    const double bandwidth = limit ? found->predicted(*limit) : 0;
    const bool bound =
        bandwidth > 0 && std::abs(std::log(found->times / bandwidth)) < std::log(kNear);
    values.set("bandwidth", format_ratio(bandwidth));
    holds = comparison.of_two_models() ? "optimizers" : bound ? "bandwidth_bound" : "optimizer";
  }
  for (const std::string name : {"bandwidth_bound", "optimizer", "optimizers"}) {
    facts.when(name, name == holds ? std::optional(values) : std::nullopt);
  }
}

/// Cells without a measure, such as those of attention, match without a row.
bool has_row_of_both(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, [](const ComparedRow& row) {
    return row.standing != RowStanding::kOnlyA && row.standing != RowStanding::kOnlyB;
  });
}

/// Where no training step stands on both sides: all whole steps together, else all all-reduces.
void add_any_steps(Facts& facts, const Comparison& comparison) {
  const auto trained = lead(comparison, is_training);
  auto any = trained ? std::nullopt : lead(comparison, is_step);
  if (!trained && !any) any = lead(comparison, is_all_reduce);
  const bool some = has_row_of_both(comparison);
  facts.flag("nothing", !some);
  facts.flag("none", some && !trained && !any);
  for (const std::string name : {"faster", "equal"}) {
    const bool holds = any && any->is_equal() == (name == "equal");
    Facts values = any ? facts_of(*any, comparison, "timing") : Facts();
    if (any)
      values.set("first", at_start(any->of_b ? names_of(comparison).b : names_of(comparison).a));
    facts.when(name, holds ? std::optional(values) : std::nullopt);
  }
}

}  // namespace

Facts summary_facts(const Comparison& comparison) {
  std::vector<DiffRow> steps;
  for (const ComparedRow& row : comparison.rows) {
    if (is_step(row)) steps.push_back(diff_row(0, row));
  }
  const std::string verdicts = verdict_words(steps);
  Facts facts;
  facts.when("verdicts", !verdicts.empty(), "counts", verdicts);
  const bool measured = comparison.related.relation != Relation::kImported;
  facts.flag("single", measured && std::ranges::any_of(comparison.rows, from_single_launches));
  add_any_steps(facts, comparison);
  add_steps(facts, comparison);
  add_optimizer(facts, comparison);
  return facts;
}

}  // namespace labreport
