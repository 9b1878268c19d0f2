#include "experiments/benchmarking_mixed_precision/speedup_facts.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/change.h"
#include "experiments/common/table_cells.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

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
  const auto words = [which](const Speedup* row) {
    return certain_ratio((row->*which)->value, (row->*which)->deviation);
  };
  facts.set(prefix + "_low", any ? words(*ends.min) : "");
  facts.set(prefix + "_low_size", any ? (*ends.min)->size : "");
  facts.set(prefix + "_high", any ? words(*ends.max) : "");
  facts.set(prefix + "_high_size", any ? (*ends.max)->size : "");
  const bool alike = any && format_ratio(value(*ends.min)) == format_ratio(value(*ends.max));
  facts.flag(prefix + "_alike", alike);
}

Trend trend(const std::vector<Speedup>& rows, Which which) {
  std::vector<Ratio> ratios;
  for (const Speedup* row : with_ratio(rows, which)) ratios.push_back(*(row->*which));
  return trend_of(ratios);
}

/// What both passes do together, or what one does alone.
void set_trend(Facts& facts, const std::vector<Speedup>& rows) {
  const Trend forward = trend(rows, &Speedup::forward);
  const Trend backward = trend(rows, &Speedup::backward);
  const auto either = [&](Trend trend) { return forward == trend || backward == trend; };
  const bool grows = either(Trend::kGrows);
  const bool uneven = either(Trend::kUneven);
  facts.flag("both_grow", grows && forward == backward);
  facts.flag("forward_grows", grows && backward != Trend::kGrows);
  facts.flag("backward_grows", grows && forward != Trend::kGrows);
  facts.flag("other_unclear", grows && either(Trend::kUnclear));
  facts.flag("uneven", !grows && uneven);
  facts.flag("unclear", !grows && !uneven && either(Trend::kUnclear));
}

/// Sizes whose launches set the pace of a phase; empty on a processor.
std::vector<std::string> paced_by_launches(const std::vector<Speedup>& rows,
                                           std::string_view phase) {
  std::vector<std::string> sizes;
  for (const Speedup* row : with_ratio(rows, &Speedup::forward)) {
    const auto lag = std::ranges::find(row->reduced_lags, phase, &PhaseLag::phase);
    if (lag != row->reduced_lags.end() && launch_bound(*lag)) sizes.push_back(row->size);
  }
  return sizes;
}

/// "both passes of small"; "the forward pass of small and medium and the backward pass of small"
std::string pass_words(const std::vector<std::string>& forward,
                       const std::vector<std::string>& backward) {
  if (forward == backward) return "both passes of " + join_words(forward);
  std::vector<std::string> passes;
  if (!forward.empty()) passes.push_back("the forward pass of " + join_words(forward));
  if (!backward.empty()) passes.push_back("the backward pass of " + join_words(backward));
  return join_words(passes);
}

void set_pace(Facts& facts, const std::vector<Speedup>& rows) {
  const auto forward = paced_by_launches(rows, metric::kForward);
  const auto backward = paced_by_launches(rows, metric::kBackward);
  const std::size_t paced = forward.size() + backward.size();
  std::size_t known = 0;
  for (const Speedup* row : with_ratio(rows, &Speedup::forward)) {
    for (const PhaseLag& lag : row->reduced_lags) known += lag.phase != metric::kOptimizer ? 1 : 0;
  }
  facts.flag("launch", paced > 0);
  facts.set("launch_passes", pass_words(forward, backward));
  facts.flag("others_gpu", paced > 0 && paced < known);
  facts.flag("all_gpu", paced == 0 && known > 0);
  facts.flag("unclassified", known == 0);
}

/// The largest network's times and shares: what a speedup comes to.
void set_largest(Facts& facts, const std::vector<Speedup>& rows) {
  const auto compared = with_ratio(rows, &Speedup::backward);
  for (const char* name : {"largest", "base_forward", "base_backward", "reduced_forward",
                           "reduced_backward", "base_share", "reduced_share"}) {
    facts.set(name, "");
  }
  facts.flag("times", !compared.empty());
  facts.flag("shares", false);
  if (compared.empty()) return;
  const Speedup& row = *compared.back();
  const auto time = [](const std::vector<double>& samples) { return mean_cell(samples).text; };
  facts.set("largest", row.size);
  facts.set("base_forward", time(row.base.forward));
  facts.set("base_backward", time(row.base.backward));
  facts.set("reduced_forward", time(row.reduced.forward));
  facts.set("reduced_backward", time(row.reduced.backward));
  if (!row.base_share || !row.reduced_share) return;
  facts.flag("shares", true);
  facts.set("base_share", format_percent(*row.base_share));
  facts.set("reduced_share", format_percent(*row.reduced_share));
}

/// The speedups of every precision but the first.
std::vector<Facts> others(const std::vector<Speedup>& rows) {
  std::vector<Facts> list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].precision == rows.front().precision) continue;
    if (i > 0 && rows[i].precision == rows[i - 1].precision) continue;
    const std::vector<Speedup> rest(rows.begin() + static_cast<std::ptrdiff_t>(i), rows.end());
    list.emplace_back();
    list.back().set("other", rest.front().precision);
    set_range(list.back(), "other_forward", rest, &Speedup::forward);
    set_range(list.back(), "other_backward", rest, &Speedup::backward);
  }
  return list;
}

/// A phase that lost, and whether launches set its pace.
struct SlowerPhase {
  std::string words;
  bool launch_bound = false;
};

std::vector<SlowerPhase> slower_phases(const Speedup& row) {
  std::vector<SlowerPhase> phases;
  const auto add = [&](std::string_view phase, const std::optional<Ratio>& ratio) {
    if (!ratio || ratio->value >= kSlower || !clearly_below(*ratio, 1)) return;
    const auto lag = std::ranges::find(row.reduced_lags, phase, &PhaseLag::phase);
    phases.push_back(
        {std::string(phase) + " " + certain_ratio(ratio->value, ratio->deviation) + " ×",
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
  // Only autocast adds launches.
  by_launches = by_launches && rows.front().reduced_precision != Precision::kTf32;
  facts.flag("slower_by_launches", !sizes.empty() && by_launches);
  facts.flag("slower_otherwise", !sizes.empty() && !by_launches);
}

std::vector<Facts> missing(const std::vector<Speedup>& rows) {
  std::vector<Facts> list;
  for (const Speedup& row : rows) {
    if (row.base_missing.empty() && row.reduced_missing.empty()) continue;
    list.emplace_back();
    list.back().set("size", row.size);
    list.back().set("other", row.precision);
    list.back().flag("same_reason", row.base_missing == row.reduced_missing);
    list.back().flag("base", !row.base_missing.empty());
    list.back().set("base_reason", row.base_missing);
    list.back().flag("reduced", !row.reduced_missing.empty());
    list.back().set("reduced_reason", row.reduced_missing);
    list.back().flag("only_base", row.base_missing.empty() && !row.reduced_fits);
    list.back().flag("only_reduced", row.reduced_missing.empty() && !row.base_fits);
  }
  return list;
}

}  // namespace

Facts speedup_facts(const std::vector<Speedup>& rows, bool has_bf16) {
  Facts facts;
  const auto compared = with_ratio(rows, &Speedup::forward);
  facts.set("precision", rows.front().precision);
  facts.flag("compared", !compared.empty());
  facts.flag("nothing", compared.empty());
  facts.flag("several", compared.size() > 1);
  set_range(facts, "forward", rows, &Speedup::forward);
  set_range(facts, "backward", rows, &Speedup::backward);
  set_trend(facts, rows);
  set_pace(facts, rows);
  set_largest(facts, rows);
  facts.flag("substitute", !has_bf16 && rows.front().precision == "FP16");
  facts.flag("autocast", rows.front().reduced_precision != Precision::kTf32);
  facts.list("others", others(rows));
  set_slower(facts, rows);
  facts.list("missing", missing(rows));
  return facts;
}

}  // namespace labreport::benchmarking_mixed_precision
