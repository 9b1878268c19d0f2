// Part (b): how long the phases take, how much they vary, and what bounds them.
#include <algorithm>

#include "base/text.h"
#include "document/charts/chart_forms.h"
#include "experiments/benchmarking_script/duration_facts.h"
#include "experiments/benchmarking_script/duration_tables.h"
#include "experiments/benchmarking_script/parts.h"
#include "experiments/common/bounds_table.h"

namespace labreport::benchmarking_script {
namespace {

std::string mean_text(const std::vector<double>& samples) { return mean_cell(samples).text; }

void add_dot(std::vector<Dot>& dots, const std::string& label, const std::string& series,
             const std::vector<double>& samples) {
  if (!samples.empty()) {
    dots.push_back({label, series, mean(samples), mean_text(samples), samples});
  }
}

/// "out of memory in optimizer": the chart has room for no more; the tables say the rest.
std::string gap_words(const TimingGroup& group) {
  std::vector<std::string> words;
  for (const auto& [mode, cell] : group.cells) {
    const std::string reason = reason_missing(group, mode);
    const std::string word = reason.substr(0, reason.find(':'));
    if (!word.empty() && std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  return join_words(words);
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
    const std::string missing = gap_words(group);
    if (!missing.empty()) gaps.push_back({group.label, missing});
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
  part.facts = duration_facts(groups);
  part.facts.flag("gpu", view.on_gpu());
  part.tables = {phases_table(groups), modes_table(groups),
                 bounds_table(view, groups, Mode::kForwardBackward)};
  TableView samples = samples_table(groups);
  if (!samples.rows.empty()) part.figures = {durations_figure(groups, samples)};
  Figure spread = spread_figure(groups);
  if (!spread.data.rows.empty()) part.drawer.figures.push_back(std::move(spread));
  // A processor has no clock, queue or conditions beside the host's.
  if (view.on_gpu()) part.drawer.tables = {events_table(groups), conditions_table(groups)};
  part.drawer.warnings = warnings(groups);
  return part;
}

}  // namespace labreport::benchmarking_script
