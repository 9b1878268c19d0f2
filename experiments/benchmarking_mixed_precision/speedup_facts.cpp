#include "experiments/benchmarking_mixed_precision/speedup_facts.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr double kSteady = 0.98;  // A speedup counts as smaller only below this share of the last.
constexpr double kGrowth = 1.05;  // From the smallest to the largest network, to call it growth.
constexpr double kSlower = 0.98;

using Which = std::optional<Ratio> Speedup::*;

std::vector<const Speedup*> with_ratio(const std::vector<Speedup>& rows, Which which) {
  std::vector<const Speedup*> found;
  for (const Speedup& row : rows) {
    if (row.precision == rows.front().precision && row.*which) found.push_back(&row);
  }
  std::ranges::stable_sort(found, {}, &Speedup::parameters);
  return found;
}

void set_range(Facts& facts, const std::string& prefix, const std::vector<Speedup>& rows,
               Which which) {
  const auto found = with_ratio(rows, which);
  const auto value = [which](const Speedup* row) { return (row->*which)->value; };
  const auto ends = std::ranges::minmax_element(found, {}, value);
  const bool any = !found.empty();
  facts.flag(prefix, any);
  facts.set(prefix + "_low", any ? format_ratio(value(*ends.min)) : "");
  facts.set(prefix + "_low_size", any ? (*ends.min)->size : "");
  facts.set(prefix + "_high", any ? format_ratio(value(*ends.max)) : "");
  facts.set(prefix + "_high_size", any ? (*ends.max)->size : "");
  const bool alike = any && format_ratio(value(*ends.min)) == format_ratio(value(*ends.max));
  facts.flag(prefix + "_alike", alike);
}

bool grows(const std::vector<Speedup>& rows, Which which) {
  const auto found = with_ratio(rows, which);
  if (found.size() < 2) return false;
  if ((found.back()->*which)->value < kGrowth * (found.front()->*which)->value) return false;
  for (std::size_t i = 1; i < found.size(); ++i) {
    if ((found[i]->*which)->value < kSteady * (found[i - 1]->*which)->value) return false;
  }
  return true;
}

std::string sizes_bound_by(const std::vector<Speedup>& rows, Bound bound) {
  std::vector<std::string> sizes;
  for (const Speedup* row : with_ratio(rows, &Speedup::forward)) {
    if (row->reduced_bound == bound) sizes.push_back(row->size);
  }
  return join_words(sizes);
}

/// "small and medium are launch-bound, large is mixed, 2.7B is GPU-bound"; empty on a processor.
std::string bounds_in_words(const std::vector<Speedup>& rows) {
  std::vector<std::string> clauses;
  for (const Bound bound : {Bound::kLaunch, Bound::kMixed, Bound::kDevice}) {
    const std::string sizes = sizes_bound_by(rows, bound);
    if (sizes.empty()) continue;
    const bool several = sizes.find(" and ") != std::string::npos;
    clauses.push_back(sizes + (several ? " are " : " is ") + std::string(describe(bound)));
  }
  return join(clauses, "; ");
}

/// A phase that lost, and whether launches set its pace.
struct SlowerPhase {
  std::string words;
  bool launch_bound = false;
};

std::vector<SlowerPhase> slower_phases(const Speedup& row) {
  std::vector<SlowerPhase> phases;
  const auto add = [&](std::string_view phase, const std::optional<Ratio>& ratio) {
    if (!ratio || ratio->value >= kSlower) return;
    const auto lag = std::ranges::find(row.reduced_lags, phase, &PhaseLag::phase);
    phases.push_back({std::string(phase) + " " + format_ratio(ratio->value) + " ×",
                      lag != row.reduced_lags.end() && launch_bound(*lag)});
  };
  add(metric::kForward, row.forward);
  add(metric::kBackward, row.backward);
  return phases;
}

/// "small (forward 0.91 ×) and medium (…)"; whether launches set the pace of all of them.
void set_slower(Facts& facts, const std::vector<Speedup>& rows) {
  std::vector<std::string> sizes;
  bool by_launches = true;
  for (const Speedup* row : with_ratio(rows, &Speedup::forward)) {
    std::vector<std::string> words;
    for (const SlowerPhase& phase : slower_phases(*row)) {
      words.push_back(phase.words);
      by_launches = by_launches && phase.launch_bound;
    }
    if (!words.empty()) sizes.push_back(row->size + " (" + join(words, ", ") + ")");
  }
  facts.flag("slower", !sizes.empty());
  facts.set("slower_sizes", join_words(sizes));
  facts.flag("slower_by_launches", by_launches);
}

std::vector<Facts> missing(const std::vector<Speedup>& rows) {
  std::vector<Facts> list;
  for (const Speedup& row : rows) {
    if (row.base_missing.empty() && row.reduced_missing.empty()) continue;
    list.emplace_back();
    list.back().set("size", row.size);
    list.back().set("other", row.precision);
    list.back().flag("base", !row.base_missing.empty());
    list.back().set("base_reason", row.base_missing);
    list.back().flag("reduced", !row.reduced_missing.empty());
    list.back().set("reduced_reason", row.reduced_missing);
    list.back().flag("only_base", !row.base.forward.empty() && row.reduced.forward.empty());
    list.back().flag("only_reduced", row.base.forward.empty() && !row.reduced.forward.empty());
  }
  return list;
}

}  // namespace

Facts speedup_facts(const std::vector<Speedup>& rows) {
  Facts facts;
  const auto compared = with_ratio(rows, &Speedup::forward);
  facts.set("precision", rows.front().precision);
  facts.flag("compared", !compared.empty());
  facts.flag("nothing", compared.empty());
  facts.flag("several", compared.size() > 1);
  set_range(facts, "forward", rows, &Speedup::forward);
  set_range(facts, "backward", rows, &Speedup::backward);
  const bool both_grow = grows(rows, &Speedup::forward) && grows(rows, &Speedup::backward);
  facts.flag("grows", both_grow);
  // What is alike at every size neither grows nor varies.
  const bool alike = !compared.empty() && format_ratio(compared.front()->forward->value) ==
                                              format_ratio(compared.back()->forward->value);
  facts.flag("uneven", compared.size() > 1 && !both_grow && !alike);
  const std::string bounds = bounds_in_words(rows);
  facts.flag("bounds_known", !bounds.empty());
  facts.set("bounds", bounds);
  facts.flag("launch", !sizes_bound_by(rows, Bound::kLaunch).empty());
  facts.flag("fp16", rows.front().precision == "FP16");
  set_slower(facts, rows);
  facts.list("missing", missing(rows));
  return facts;
}

}  // namespace labreport::benchmarking_mixed_precision
