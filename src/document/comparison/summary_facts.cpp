// Makes the facts of a comparison's summary from the training step of the largest network in each
// precision.
#include <fmt/format.h>

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

constexpr Notation kStepFormat{Notation::kSignificant, 3};
constexpr std::size_t kMaxSizeNameLength = 40;  // More characters do not fit a sentence.
// The optimizer explains why steps differ if its times differ by at least this fraction as much.
constexpr double kExplainingShare = 0.5;
// A prediction is confirmed if the measured ratio is within this factor of it.
constexpr double kConfirmingFactor = 1.1;

bool is_step_time(const ComparedRow& row) { return row.measure == Measure::kStep; }

double ms_of(const RowSide& side) { return *side.value / 1e6; }

/// True if the times differ by less than the smallest difference that verdicts count.
bool is_equally_fast(double ratio) {
  return std::abs(std::log(ratio)) < std::log1p(JudgeOptions().smallest_effect);
}

/// Returns the training step of the largest network at its longest context; null if none has a
/// ratio. Steps of several ranks do not count.
const ComparedRow* largest_step(const Comparison& comparison, Precision precision) {
  const auto extent = [](const ComparedRow& row) {
    return std::pair(parameter_count(*row.spec.model), row.spec.context);
  };
  const ComparedRow* largest = nullptr;
  for (const ComparedRow& row : comparison.rows) {
    if (!is_step_time(row) || row.spec.mode != Mode::kTrainStep || row.spec.ranks) continue;
    if (!row.spec.model || !row.ratio || row.spec.precision != precision) continue;
    if (largest == nullptr || extent(row) > extent(*largest)) largest = &row;
  }
  return largest;
}

/// Returns the facts of the optimizer's fraction of the steps' difference; nothing if the fraction
/// is below kExplainingShare or above 1.
std::optional<Facts> optimizer_facts(const Comparison& comparison, const ComparedRow& step) {
  const auto optimizer = std::ranges::find_if(comparison.rows, [&](const ComparedRow& row) {
    return row.measure == Measure::kOptimizer && row.cell_id == step.cell_id && row.ratio;
  });
  if (optimizer == comparison.rows.end()) return std::nullopt;
  const double share =
      (*optimizer->b.value - *optimizer->a.value) / (*step.b.value - *step.a.value);
  if (share < kExplainingShare || share > 1) return std::nullopt;
  const auto &a = comparison.a.limits.copy_bandwidth, &b = comparison.b.limits.copy_bandwidth;
  const bool is_predicted = comparison.machines.relation == Relation::kDifferentHardware && a && b;
  const double predicted_ratio = is_predicted ? *a / *b : 0;
  const bool is_bandwidth_bound =
      is_predicted &&
      std::abs(std::log(*optimizer->ratio / predicted_ratio)) < std::log(kConfirmingFactor);
  return Facts()
      .set("who", comparison.has_two_implementations() ? "the optimizer" : "AdamW")
      .set("share", format_fixed(100 * share, 0))
      .when("bound", is_bandwidth_bound, "bandwidth",
            format_ratio(std::max(predicted_ratio, 1 / predicted_ratio)));
}

/// Returns the facts of a step, the faster side first. `with_optimizer` adds the optimizer's part
/// in the difference.
Facts step_facts(const Comparison& comparison, const SideRuns& runs, const ComparedRow& row,
                 bool with_optimizer) {
  const SideNames names = side_names(comparison);
  const std::string &a = names.a, &b = names.b;
  const bool b_is_faster = *row.ratio < 1;
  return Facts()
      .set("first", with_capital_the(b_is_faster ? b : a))
      .set("second", b_is_faster ? a : b)
      .set("size", cut_short(compared_network(comparison, runs, row), kMaxSizeNameLength))
      .set("context", format_count(row.spec.context.value_or(0)))
      .set("precision", describe(*row.spec.precision))
      .set("ms", ms_of(b_is_faster ? row.b : row.a), kStepFormat)
      .set("other_ms", ms_of(b_is_faster ? row.a : row.b), kStepFormat)
      .set("times", format_ratio(std::max(*row.ratio, 1 / *row.ratio)))
      .when("optimizer", with_optimizer ? optimizer_facts(comparison, row) : std::nullopt);
}

/// Counts the verdicts on whole steps: "1 faster, 1 same and 1 unclear". Empty if none has one.
std::string verdict_counts(const Comparison& comparison) {
  std::vector<std::string> parts;
  for (const auto verdict :
       {Verdict::kFaster, Verdict::kSlower, Verdict::kSame, Verdict::kUnclear}) {
    const auto count = std::ranges::count_if(comparison.rows, [&](const ComparedRow& row) {
      return is_step_time(row) && is_judged(row) && row.judgment->verdict == verdict;
    });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, name(verdict)));
  }
  return join_words(parts);
}

/// Returns the facts of the median ratio of all steps that both sides have, else of all-reduces.
std::optional<Facts> median_facts(const Comparison& comparison) {
  const auto is_all_reduce = [](const ComparedRow& row) { return message_bytes(row.measure) > 0; };
  const std::pair<bool (*)(const ComparedRow&), const char*> kinds[]{{is_step_time, "timing"},
                                                                     {is_all_reduce, "all-reduce"}};
  for (const auto& [is_kind, noun] : kinds) {
    std::vector<double> ratios;
    for (const ComparedRow& row : comparison.rows) {
      if (row.ratio && is_kind(row)) ratios.push_back(*row.ratio);
    }
    if (ratios.empty()) continue;
    const SideNames names = side_names(comparison);
    const std::string &a = names.a, &b = names.b;
    const double median_ratio = median(ratios);
    return Facts()
        .set("first", with_capital_the(median_ratio < 1 ? b : a))
        .set("second", median_ratio < 1 ? a : b)
        .flag("equal", is_equally_fast(median_ratio))
        .set("times", format_ratio(std::max(median_ratio, 1 / median_ratio)))
        .set("rows",
             ratios.size() == 1
                 ? fmt::format("the only {} that both runs have", noun)
                 : fmt::format("the median of {} {}s",
                               format_count(static_cast<std::int64_t>(ratios.size())), noun));
  }
  return std::nullopt;
}

}  // namespace

Facts summary_facts(const Comparison& comparison, const SideRuns& runs) {
  std::vector<Facts> steps, equal_steps;
  for (const Precision precision : kComparedPrecisions) {
    const ComparedRow* row = largest_step(comparison, precision);
    if (row == nullptr) continue;
    std::vector<Facts>& list = is_equally_fast(*row->ratio) ? equal_steps : steps;
    list.push_back(step_facts(comparison, runs, *row, /*with_optimizer=*/list.empty()));
  }
  const bool has_steps = !steps.empty() || !equal_steps.empty();
  const auto overall = has_steps ? std::nullopt : median_facts(comparison);
  // False does not mean that no cell is shared: attention, for example, has no compared measure and
  // so no row.
  const bool has_shared_row = std::ranges::any_of(comparison.rows, [](const ComparedRow& row) {
    return row.status != RowStatus::kOnlyA && row.status != RowStatus::kOnlyB;
  });
  // Different GPUs need no warning, because they differ by more than launches of one GPU do.
  // Imported numbers always come from one launch.
  const Relation relation = comparison.machines.relation;
  const bool has_single_launches =
      relation != Relation::kImported && relation != Relation::kDifferentHardware &&
      std::ranges::any_of(comparison.rows, [](const ComparedRow& row) {
        return row.ratio && row.a.launch_values.size() == 1 && row.b.launch_values.size() == 1;
      });
  const std::string verdicts = verdict_counts(comparison);
  return Facts()
      .list("steps", std::move(steps))
      .list("alike", std::move(equal_steps))
      .when("median", overall)
      .flag("nothing", !has_shared_row)
      .flag("none", has_shared_row && !has_steps && !overall)
      .flag("single", has_single_launches)
      .set("name_b", side_names(comparison).b)
      .when("verdicts", !verdicts.empty(), "counts", verdicts);
}

}  // namespace labreport
