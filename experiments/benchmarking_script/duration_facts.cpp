#include "experiments/benchmarking_script/duration_facts.h"

#include <algorithm>

#include "base/format.h"
#include "experiments/benchmarking_script/parts.h"
#include "experiments/common/change.h"
#include "experiments/common/ratio.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kSmallVariation = 0.05;
constexpr std::int64_t kAskedWarmup = 5;  // By the question.
constexpr std::int64_t kAskedSteps = 10;

struct Variation {
  double coefficient = -1;
  std::string where;
};

struct GroupPhases {
  const TimingGroup* group;
  Phases times;
};

std::vector<GroupPhases> with_forward(const std::vector<TimingGroup>& groups) {
  std::vector<GroupPhases> found;
  for (const TimingGroup& group : groups) {
    GroupPhases candidate{&group, phases(group)};
    if (!candidate.times.forward.empty()) found.push_back(std::move(candidate));
  }
  return found;
}

void widen(Variation& largest, const std::vector<double>& samples, const std::string& where) {
  if (samples.size() < 2) return;
  const double coefficient = summarize(samples).coefficient_of_variation();
  if (coefficient > largest.coefficient) largest = {coefficient, where};
}

Variation variation_of_passes(const std::vector<GroupPhases>& rows) {
  Variation largest;
  for (const GroupPhases& row : rows) {
    widen(largest, row.times.forward, row.group->label + ", forward");
    widen(largest, row.times.backward, row.group->label + ", backward");
  }
  return largest;
}

Variation variation_of_optimizer(const std::vector<GroupPhases>& rows) {
  Variation largest;
  for (const GroupPhases& row : rows) widen(largest, row.times.optimizer, row.group->label);
  return largest;
}

/// "2.01 times", or "1.94 to 2.10 times" where sizes differ.
std::string ratio_words(const std::vector<GroupPhases>& rows) {
  std::vector<Ratio> ratios;
  for (const GroupPhases& row : rows) {
    const auto ratio = ratio_of(row.times.backward, row.times.forward);
    if (ratio) ratios.push_back(*ratio);
  }
  if (ratios.empty()) return "";
  const auto [low, high] = std::ranges::minmax_element(ratios, {}, &Ratio::value);
  const std::string from = certain_ratio(low->value, low->deviation);
  const std::string to = certain_ratio(high->value, high->deviation);
  return (from == to ? from : from + " to " + to) + " times";
}

std::string joined_mean(const std::vector<double>& samples) { return mean_cell(samples).text; }

void set_ends(Facts& facts, const std::vector<GroupPhases>& rows) {
  const GroupPhases& first = rows.front();
  const GroupPhases& last = rows.back();
  facts.set("first", first.group->label);
  facts.set("last", last.group->label);
  facts.set("forward_first", joined_mean(first.times.forward));
  facts.set("forward_last", joined_mean(last.times.forward));
  facts.set("backward_first", joined_mean(first.times.backward));
  facts.set("backward_last", joined_mean(last.times.backward));
}

void declare_ends(Facts& facts) {
  for (const char* name : {"first", "last", "forward_first", "forward_last", "backward_first",
                           "backward_last", "ratio"}) {
    facts.set(name, "");
  }
}

/// Rows with both phases; where no backward ran, those with a forward.
std::vector<GroupPhases> answered(const std::vector<TimingGroup>& groups) {
  const std::vector<GroupPhases> forward = with_forward(groups);
  std::vector<GroupPhases> both;
  std::copy_if(forward.begin(), forward.end(), std::back_inserter(both),
               [](const GroupPhases& row) { return !row.times.backward.empty(); });
  return both.empty() ? forward : both;
}

/// "4.7 % of", "1.8 ×": before "the mean".
std::string variation_words(const Variation& variation) {
  const double coefficient = std::max(variation.coefficient, 0.0);
  return coefficient > 1 ? format_factor(coefficient) + " ×"
                         : format_rough_percent(coefficient) + " % of";
}

void set_variation(Facts& facts, const std::vector<GroupPhases>& rows) {
  const Variation passes = variation_of_passes(rows);
  const Variation optimizer = variation_of_optimizer(rows);
  facts.flag("varies", passes.coefficient > kSmallVariation);
  facts.flag("steady", passes.coefficient >= 0 && passes.coefficient <= kSmallVariation);
  facts.flag("variation_known", passes.coefficient >= 0);
  facts.set("variation", variation_words(passes));
  facts.set("variation_where", passes.where);
  facts.flag("optimizer_known", passes.coefficient >= 0 && optimizer.coefficient >= 0);
  facts.set("optimizer_variation", variation_words(optimizer));
  facts.set("optimizer_where", optimizer.where);
}

/// Its own smallest and largest network: it may run out of memory where the passes do not.
void set_optimizer(Facts& facts, std::vector<GroupPhases> rows) {
  std::erase_if(rows, [](const GroupPhases& row) { return row.times.optimizer.empty(); });
  facts.flag("optimizer", !rows.empty());
  facts.flag("optimizers", rows.size() > 1);
  for (const char* name :
       {"optimizer_small", "optimizer_first", "optimizer_large", "optimizer_last"}) {
    facts.set(name, "");
  }
  if (rows.empty()) return;
  facts.set("optimizer_small", rows.front().group->label);
  facts.set("optimizer_first", joined_mean(rows.front().times.optimizer));
  facts.set("optimizer_large", rows.back().group->label);
  facts.set("optimizer_last", joined_mean(rows.back().times.optimizer));
}

/// What was counted, and whether it is other than what the question asks for.
void set_steps(Facts& facts, const std::vector<GroupPhases>& rows) {
  const auto spec = rows.empty() ? std::nullopt : fullest(*rows.front().group);
  const std::int64_t warmup = spec ? spec->spec->warmup.value_or(0) : kAskedWarmup;
  const std::int64_t steps = spec ? spec->spec->steps.value_or(0) : kAskedSteps;
  facts.flag("steps_known", spec.has_value());
  facts.flag("other_steps", warmup != kAskedWarmup || steps != kAskedSteps);
  facts.set("warmup", format_plural(warmup, "warm-up step"));
  facts.set("steps", format_plural(steps, "step"));
}

std::vector<Facts> missing_rows(const std::vector<TimingGroup>& groups) {
  std::vector<Facts> missing;
  for (const TimingGroup& group : groups) {
    const std::string reason = reasons_missing(group);
    if (reason.empty()) continue;
    missing.emplace_back();
    missing.back().set("what", group.label);
    missing.back().set("reason", reason);
  }
  return missing;
}

}  // namespace

Facts duration_facts(const std::vector<TimingGroup>& groups) {
  Facts facts;
  const std::vector<GroupPhases> rows = answered(groups);
  const bool backward = !rows.empty() && !rows.front().times.backward.empty();
  facts.flag("nothing", rows.empty());
  facts.flag("forward_only", !rows.empty() && !backward);
  facts.flag("both", backward);
  facts.flag("several", rows.size() > 1);
  declare_ends(facts);
  if (!rows.empty()) set_ends(facts, rows);
  if (backward) facts.set("ratio", ratio_words(rows));
  set_optimizer(facts, rows);
  set_variation(facts, rows);
  set_steps(facts, rows);
  facts.list("missing", missing_rows(groups));
  return facts;
}

}  // namespace labreport::benchmarking_script
