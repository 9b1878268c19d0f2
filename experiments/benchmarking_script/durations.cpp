// Part (b): how long the phases take, how much they vary, and what bounds them.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "experiments/benchmarking_script/duration_tables.h"
#include "experiments/benchmarking_script/parts.h"
#include "report/chart_forms.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kSmallVariation = 0.05;

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

Variation largest_variation(const std::vector<GroupPhases>& rows) {
  Variation largest;
  for (const GroupPhases& row : rows) {
    widen(largest, row.times.forward, row.group->label + ", forward");
    widen(largest, row.times.backward, row.group->label + ", backward");
  }
  return largest;
}

/// "2.01 times", or "1.94 to 2.10 times" where sizes differ.
std::string ratio_words(const std::vector<GroupPhases>& rows) {
  double low = 0;
  double high = 0;
  for (const GroupPhases& row : rows) {
    if (row.times.backward.empty()) continue;
    const double ratio = mean(row.times.backward) / mean(row.times.forward);
    low = low == 0 ? ratio : std::min(low, ratio);
    high = std::max(high, ratio);
  }
  const std::string from = format_ratio(low);
  const std::string to = format_ratio(high);
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

Facts make_facts(const std::vector<TimingGroup>& groups) {
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
  const Variation variation = largest_variation(rows);
  facts.flag("varies", variation.coefficient > kSmallVariation);
  facts.flag("steady", variation.coefficient >= 0 && variation.coefficient <= kSmallVariation);
  facts.set("variation", format_percent(std::max(variation.coefficient, 0.0)));
  facts.set("variation_where", variation.where);
  std::vector<Facts> missing;
  for (const TimingGroup& group : groups) {
    const std::string reason = reasons_missing(group);
    if (reason.empty()) continue;
    missing.emplace_back();
    missing.back().set("what", group.label);
    missing.back().set("reason", reason);
  }
  facts.list("missing", std::move(missing));
  return facts;
}

void add_dot(std::vector<Dot>& dots, const std::string& label, const std::string& series,
             const std::vector<double>& samples) {
  if (!samples.empty()) {
    dots.push_back({label, series, mean(samples), joined_mean(samples), samples});
  }
}

Figure durations_figure(const std::vector<TimingGroup>& groups, const TableView& data) {
  std::vector<std::string> labels;
  std::vector<Dot> dots;
  std::vector<Gap> gaps;
  for (const TimingGroup& group : groups) {
    labels.push_back(group.label);
    const Phases times = phases(group);
    add_dot(dots, group.label, "forward", times.forward);
    add_dot(dots, group.label, "backward", times.backward);
    add_dot(dots, group.label, "optimizer", times.optimizer);
    const std::string reason = reasons_missing(group);
    if (!reason.empty()) gaps.push_back({group.label, reason});
  }
  return {
      .slug = "durations",
      .title = "Forward, backward and optimizer for each size",
      .caption = "Each dot is the mean, each tick one step; the axis is logarithmic.",
      .alt =
          "Dots on a logarithmic time axis: for each size the forward pass, the backward "
          "pass and the optimizer. The table below holds the same numbers.",
      .spec = dot_chart({"Time", "ms"}, labels, {"forward", "backward", "optimizer"}, dots, gaps),
      .data = data};
}

}  // namespace

PartContent present_durations(const RunView& view, const std::vector<TimingGroup>& groups) {
  PartContent part;
  part.facts = make_facts(groups);
  part.tables = {phases_table(groups), modes_table(groups), bounds_table(view, groups)};
  if (!with_forward(groups).empty()) {
    part.figures = {durations_figure(groups, samples_table(groups))};
  }
  Figure spread = spread_figure(groups);
  if (!spread.data.rows.empty()) part.drawer.figures.push_back(std::move(spread));
  part.drawer.tables = {events_table(groups), conditions_table(groups)};
  part.drawer.warnings = warnings(groups);
  return part;
}

}  // namespace labreport::benchmarking_script
