// Compares two runs as a whole by the training step of the largest network in each precision.
#include <algorithm>
#include <cmath>

#include "analysis/verdict.h"
#include "base/format.h"
#include "base/statistics.h"
#include "base/text.h"
#include "document/comparison/diff_facts.h"
#include "plan/editions.h"

namespace labreport {
namespace {

constexpr Notation kMilliseconds{Notation::kSignificant, 3};
constexpr std::size_t kLongestName = 40;  // More characters of a size do not fit a sentence.
constexpr double kExplains = 0.5;         // A phase with this share of a difference explains it.
constexpr double kNear = 1.1;             // Two ratios within this factor count as equal.

bool is_step(const ComparedRow& row) { return row.measure == Measure::kStep; }

double milliseconds(const RowSide& side) { return *side.value / 1e6; }

bool equally_fast(double ratio) {
  return std::abs(std::log(ratio)) < std::log1p(JudgeOptions().smallest_effect);
}

/// The training step of one process for the largest network at its longest context; null if none
/// has a ratio. Steps of several ranks are a different measurement.
const ComparedRow* largest_step(const Comparison& comparison, Precision precision) {
  const auto extent = [](const ComparedRow& row) {
    return std::pair(parameter_count(*row.spec.model), row.spec.context);
  };
  const ComparedRow* largest = nullptr;
  for (const ComparedRow& row : comparison.rows) {
    if (!is_step(row) || row.spec.mode != Mode::kTrainStep || row.spec.ranks) continue;
    if (!row.spec.model || !row.ratio || row.spec.precision != precision) continue;
    if (largest == nullptr || extent(row) > extent(*largest)) largest = &row;
  }
  return largest;
}

/// The optimizer's share of the steps' difference; nothing if it is below kExplains or above 1.
std::optional<Facts> optimizer_facts(const Comparison& comparison, const ComparedRow& step) {
  const auto optimizer = std::ranges::find_if(comparison.rows, [&](const ComparedRow& row) {
    return row.measure == Measure::kOptimizer && row.cell_id == step.cell_id && row.ratio;
  });
  if (optimizer == comparison.rows.end()) return std::nullopt;
  const double share =
      (*optimizer->b.value - *optimizer->a.value) / (*step.b.value - *step.a.value);
  if (share < kExplains || share > 1) return std::nullopt;
  const auto &a = comparison.a.limits.copy_bandwidth, &b = comparison.b.limits.copy_bandwidth;
  const bool different = comparison.machines.relation == Relation::kDifferentHardware && a && b;
  const double limit = different ? *a / *b : 0;
  const bool bound = limit > 0 && std::abs(std::log(*optimizer->ratio / limit)) < std::log(kNear);
  return Facts()
      .set("who", comparison.compares_two_models() ? "the optimizer" : "AdamW")
      .set("share", format_fixed(100 * share, 0))
      .when("bound", bound, "bandwidth", format_ratio(std::max(limit, 1 / limit)));
}

/// The step on both sides, the faster one first. `with_reason` adds the optimizer's share.
Facts step_facts(const Comparison& comparison, const ComparedRow& row, bool with_reason) {
  const SideNames names = side_names(comparison);
  const std::string &a = names.a, &b = names.b;
  const bool b_leads = *row.ratio < 1;
  return Facts()
      .set("first", capitalized(b_leads ? b : a))
      .set("second", b_leads ? a : b)
      .set("size", cut_short(row.size, kLongestName))
      .set("context", format_count(row.spec.context.value_or(0)))
      .set("precision", describe(*row.spec.precision))
      .set("ms", milliseconds(b_leads ? row.b : row.a), kMilliseconds)
      .set("other_ms", milliseconds(b_leads ? row.a : row.b), kMilliseconds)
      .set("times", format_ratio(std::max(*row.ratio, 1 / *row.ratio)))
      .when("optimizer", with_reason ? optimizer_facts(comparison, row) : std::nullopt);
}

/// The median ratio of all whole steps that both sides have, or else of all-reduces.
std::optional<Facts> median_facts(const Comparison& comparison) {
  const auto is_all_reduce = [](const ComparedRow& row) { return message_bytes(row.measure) > 0; };
  const std::pair<bool (*)(const ComparedRow&), RowNoun> kinds[]{
      {is_step, {"timing", "timings"}}, {is_all_reduce, {"all-reduce", "all-reduces"}}};
  for (const auto& [is_kind, noun] : kinds) {
    std::vector<double> ratios;
    for (const ComparedRow& row : comparison.rows) {
      if (row.ratio && is_kind(row)) ratios.push_back(*row.ratio);
    }
    if (ratios.empty()) continue;
    const SideNames names = side_names(comparison);
    const std::string &a = names.a, &b = names.b;
    const double middle = median(ratios);
    return Facts()
        .set("first", capitalized(middle < 1 ? b : a))
        .set("second", middle < 1 ? a : b)
        .flag("equal", equally_fast(middle))
        .set("times", format_ratio(std::max(middle, 1 / middle)))
        .set("rows", rows_words(static_cast<std::int64_t>(ratios.size()), noun));
  }
  return std::nullopt;
}

}  // namespace

Facts summary_facts(const Comparison& comparison) {
  std::vector<Facts> steps, alike;
  for (const Precision precision : kComparedPrecisions) {
    const ComparedRow* row = largest_step(comparison, precision);
    if (row == nullptr) continue;
    std::vector<Facts>& list = equally_fast(*row->ratio) ? alike : steps;
    list.push_back(step_facts(comparison, *row, list.empty()));
  }
  std::vector<DiffRow> timings;
  for (const ComparedRow& row : comparison.rows) {
    if (is_step(row)) timings.push_back(diff_row(0, row, side_names(comparison)));
  }
  const bool trained = !steps.empty() || !alike.empty();
  const auto overall = trained ? std::nullopt : median_facts(comparison);
  // `matched_cells` also counts cells without a measure, such as those of attention, which have no
  // row.
  const bool any_match = std::ranges::any_of(comparison.rows, [](const ComparedRow& row) {
    return row.status != RowStatus::kOnlyA && row.status != RowStatus::kOnlyB;
  });
  // Between GPUs of different kinds, the difference between single launches is not of interest.
  const Relation relation = comparison.machines.relation;
  const bool single =
      relation != Relation::kImported && relation != Relation::kDifferentHardware &&
      std::ranges::any_of(comparison.rows, [](const ComparedRow& row) {
        return row.ratio && row.a.launch_values.size() == 1 && row.b.launch_values.size() == 1;
      });
  const std::string verdicts = verdict_words(timings);
  return Facts()
      .list("steps", std::move(steps))
      .list("alike", std::move(alike))
      .when("median", overall)
      .flag("nothing", !any_match)
      .flag("none", any_match && !trained && !overall)
      .flag("single", single)
      .set("name_b", side_names(comparison).b)
      .when("verdicts", !verdicts.empty(), "counts", verdicts);
}

}  // namespace labreport
