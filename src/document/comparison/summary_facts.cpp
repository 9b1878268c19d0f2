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
#include "document/keyed_number.h"
#include "plan/editions.h"

namespace labreport {
namespace {

constexpr Notation kPartFormat{Notation::kFixed, 1};
constexpr std::size_t kMaxSizeNameLength = 40;  // More characters do not fit a sentence.
// Kernels explain why steps differ if they make at least this fraction of the difference.
constexpr double kExplainingShare = 0.8;
// A prediction is confirmed if the measured ratio is within this factor of it.
constexpr double kConfirmingFactor = 1.1;

bool is_step_time(const ComparedRow& row) { return row.measure == Measure::kStep; }

/// True if the times differ by less than the smallest difference that verdicts count.
bool is_equally_fast(double ratio) {
  return std::abs(std::log(ratio)) < std::log1p(kSmallestEffect);
}

/// Returns the training step of the largest network at its longest context; null if none has a
/// ratio. Steps of several ranks, and steps that the CPU sets, do not count.
const ComparedRow* largest_step(const Comparison& comparison, const SideRuns& runs,
                                Precision precision) {
  const auto extent = [](const ComparedRow& row) {
    return std::pair(parameter_count(*row.spec.model), row.spec.context);
  };
  const ComparedRow* largest = nullptr;
  for (const ComparedRow& row : comparison.rows) {
    if (!is_step_time(row) || row.spec.mode != Mode::kTrainStep || row.spec.ranks) continue;
    if (!row.spec.model || !row.ratio || row.spec.precision != precision) continue;
    if (is_set_by_cpu(runs, row)) continue;
    if (largest == nullptr || extent(row) > extent(*largest)) largest = &row;
  }
  return largest;
}

/// One profiled training step, by kinds of kernels.
struct KernelKinds {
  double gemms_ms = 0, optimizer_ms = 0, others_ms = 0;
  std::string key;  ///< The key of the profile's numbers, which contains the run.
};

/// Returns the kernels of the row's step in a compared run; nothing if the run did not profile the
/// step, or if the CPU sets the step's time.
std::optional<KernelKinds> kernel_kinds(const GpuRuns& compared, const ComparedRow& step) {
  if (compared.runs.empty()) return std::nullopt;
  const RunSummary& run = *compared.runs.front();
  const std::string context = "context " + format_count(step.spec.context.value_or(0)) + ",";
  const auto kernels = std::ranges::find_if(run.quantities, [&](const Quantity& quantity) {
    return quantity.topic == topic::kKernels &&
           quantity.parameters == static_cast<double>(parameter_count(*step.spec.model)) &&
           quantity.precision == describe(*step.spec.precision) &&
           quantity.setting.starts_with(context);
  });
  if (kernels == run.quantities.end() || kernels->is_set_by_cpu(step_part::kIdle))
    return std::nullopt;
  KernelKinds kinds{.key = kernels->key("", run.key_owner())};
  for (const auto& [name, ms] : kernels->values) {
    if (name == step_part::kIdle) continue;
    (name.ends_with(step_part::kGemms)         ? kinds.gemms_ms
     : name.starts_with(step_part::kOptimizer) ? kinds.optimizer_ms
                                               : kinds.others_ms) += ms;
  }
  return kinds;
}

/// Divides the difference of two steps among kinds of kernels. Nothing unless they explain it.
std::optional<Facts> part_facts(const Comparison& comparison, const SideRuns& runs,
                                const ComparedRow& step) {
  auto slow = kernel_kinds(runs.compared_a, step), fast = kernel_kinds(runs.compared_b, step);
  if (!slow || !fast) return std::nullopt;
  double slow_bandwidth = comparison.a.limits.copy_bandwidth.value_or(0);
  double fast_bandwidth = comparison.b.limits.copy_bandwidth.value_or(0);
  if (*step.ratio > 1) {
    std::swap(slow, fast);
    std::swap(slow_bandwidth, fast_bandwidth);
  }
  const double all_ms = std::abs(*step.a.value - *step.b.value) / kNanosecondsPerMillisecond;
  const double gemms_ms = slow->gemms_ms - fast->gemms_ms;
  const double optimizer_ms = slow->optimizer_ms - fast->optimizer_ms;
  const double others_ms = slow->others_ms - fast->others_ms;
  const bool are_explained = optimizer_ms > 0 && others_ms > 0 &&
                             gemms_ms + optimizer_ms + others_ms >= kExplainingShare * all_ms;
  if (!are_explained) return std::nullopt;
  const bool is_predicted = comparison.machines.relation == Relation::kDifferentHardware &&
                            slow_bandwidth > 0 && fast_bandwidth > 0;
  Value times = is_predicted ? fast_bandwidth / slow_bandwidth : 0;
  times.key = "copy-bandwidth/" + fast->key + ":" + slow->key;
  const double optimizer_ratio = slow->optimizer_ms / fast->optimizer_ms;
  const bool is_bandwidth_bound =
      is_predicted && optimizer_ms + others_ms > gemms_ms &&
      std::abs(std::log(optimizer_ratio / *times.number())) < std::log(kConfirmingFactor);
  const auto keyed_ms = [&](const char* what, double value, const char* unit) {
    Value ms = value;
    ms.key = what + ("/" + slow->key) + "-less-" + fast->key;
    return keyed_number(format_value(ms, kPartFormat) + unit, ms);
  };
  return Facts()
      .set_markdown("all", keyed_ms("step", all_ms, " ms"))
      .set_markdown("optimizer", keyed_ms("optimizer", optimizer_ms, ""))
      .set_markdown("others", keyed_ms("other-kernels", others_ms, ""))
      .set_markdown("gemms", keyed_ms("gemms", gemms_ms, ""))
      .when("bandwidth", is_bandwidth_bound, Facts().set_markdown("times", keyed_ratio(times)));
}

/// Returns the facts of a step, the faster side first.
Facts step_facts(const Comparison& comparison, const SideRuns& runs, const ComparedRow& row) {
  const SideNames names = side_names(comparison);
  const bool b_is_faster = *row.ratio < 1;
  const std::string& first = b_is_faster ? names.b : names.a;
  const Value a_ms = step_ms(comparison, row, &ComparedRow::a);
  const Value b_ms = step_ms(comparison, row, &ComparedRow::b);
  const auto keyed_ms = [](const Value& ms, const Value& other) {
    return keyed_number(format_value(ms, compared_ms(*ms.number(), *other.number())) + " ms", ms);
  };
  return Facts()
      .set("first", with_capital_the(first))
      .set("faster", first)
      .set("second", b_is_faster ? names.a : names.b)
      .set("size", cut_short(compared_network(comparison, runs, row), kMaxSizeNameLength))
      .set("context", format_count(row.spec.context.value_or(0)))
      .set("precision", describe(*row.spec.precision))
      .set_markdown("ms", b_is_faster ? keyed_ms(b_ms, a_ms) : keyed_ms(a_ms, b_ms))
      .set_markdown("other_ms", b_is_faster ? keyed_ms(a_ms, b_ms) : keyed_ms(b_ms, a_ms))
      .set_markdown("times", keyed_ratio(slower_over_faster(a_ms, b_ms)))
      .when("parts", part_facts(comparison, runs, row));
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

/// Returns the facts of the median ratio of all steps that both sides have and that the GPUs set,
/// else of all-reduces.
std::optional<Facts> median_facts(const Comparison& comparison, const SideRuns& runs) {
  const auto is_all_reduce = [](const ComparedRow& row) { return message_bytes(row.measure) > 0; };
  const std::pair<bool (*)(const ComparedRow&), const char*> kinds[]{{is_step_time, "timing"},
                                                                     {is_all_reduce, "all-reduce"}};
  for (const auto& [is_kind, noun] : kinds) {
    std::vector<double> ratios;
    for (const ComparedRow& row : comparison.rows) {
      // The leaderboard's steps have a sentence of their own.
      if (row.spec.kind == CellKind::kLeaderboard) continue;
      if (row.ratio && is_kind(row) && !is_set_by_cpu(runs, row)) ratios.push_back(*row.ratio);
    }
    if (ratios.empty()) continue;
    const SideNames names = side_names(comparison);
    const std::string &a = names.a, &b = names.b;
    const double median_ratio = median(ratios);
    Value times = std::max(median_ratio, 1 / median_ratio);
    times.key = std::string("median-") + noun;
    return Facts()
        .set("first", with_capital_the(median_ratio < 1 ? b : a))
        .set("second", median_ratio < 1 ? a : b)
        .flag("equal", is_equally_fast(median_ratio))
        .set_markdown("times", keyed_ratio(times))
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
  std::vector<Facts> steps, equal_steps, unclear_steps;
  for (const Precision precision : kComparedPrecisions) {
    const ComparedRow* row = largest_step(comparison, runs, precision);
    if (row == nullptr) continue;
    const bool are_equal = is_equally_fast(*row->ratio) && !row->has_wide_range();
    std::vector<Facts>& list = are_equal               ? equal_steps
                               : row->ranges_overlap() ? unclear_steps
                                                       : steps;
    list.push_back(step_facts(comparison, runs, *row));
  }
  const bool has_steps = !steps.empty() || !equal_steps.empty() || !unclear_steps.empty();
  const bool has_ratio = std::ranges::any_of(
      comparison.rows, [](const ComparedRow& row) { return row.ratio && is_step_time(row); });
  const auto overall = has_steps ? std::nullopt : median_facts(comparison, runs);
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
      .list("unclear", std::move(unclear_steps))
      .when("median", overall)
      .flag("nothing", !has_shared_row)
      .flag("none", has_shared_row && !has_ratio && !overall)
      .flag("single", has_single_launches)
      .set("name_b", side_names(comparison).b)
      .when("verdicts", !verdicts.empty(), "counts", verdicts);
}

}  // namespace labreport
