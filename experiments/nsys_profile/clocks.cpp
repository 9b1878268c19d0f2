// Part (a): the profiler's time of a pass against the timer's.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "document/charts/pair_chart.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/common/legend.h"
#include "experiments/nsys_profile/clock.h"
#include "experiments/nsys_profile/parts.h"

namespace labreport::nsys_profile {
namespace {

std::string_view pass_words(const Clock& clock) {
  const Mode mode = clock.step->spec->mode.value_or(Mode::kForward);
  if (mode == Mode::kInference || mode == Mode::kForward) return "forward pass";
  return labreport::describe(mode);
}

/// Timer and profiler are told apart only beyond what the timer's own steps vary by.
bool within_spread(const Clock& clock) {
  const double difference = std::abs(clock.difference());
  return difference <= clock.spread();
}

Facts clock_sentence(const Profile& profile, const Clock& clock) {
  Facts facts;
  facts.set("words", profile.words);
  facts.set("pass", pass_words(clock));
  facts.set("timer", mean_cell(clock.timer).text);
  facts.set("busy", format_significant(clock.busy));
  const std::string difference = change_words(1 + clock.difference(), clock.spread(), kMore);
  facts.set("difference", difference);
  facts.flag("within_spread", difference != kMore.same && within_spread(clock));
  facts.set("gaps", format_significant(clock.gaps(), 3));
  facts.set("outside", format_significant(clock.outside(), 3));
  facts.set("profiled", format_significant(clock.profiled));
  facts.set("cost", change_words(clock.profiled / clock.mean, clock.spread(), kMoreThan));
  facts.flag("perturbed", clock.perturbed());
  return facts;
}

/// The profiled step under Nsight Systems: only the range "measured", so without warm-up.
std::string nsys_command(const RunView& view, const Profile* profile) {
  if (profile == nullptr) return "";
  const CellSpec& spec = *(profile->step ? profile->step : profile->inference)->spec;
  return "`nsys profile --trace=cuda,nvtx --capture-range=nvtx --nvtx-capture=measured "
         "--capture-range-end=stop --output=build/nsys-step " +
         command_for(view.run(), std::string(kProblem) + ".a", spec) + " --nvtx --out build/nsys`";
}

Facts make_facts(const RunView& view, const std::vector<Profile>& profiles) {
  Facts facts;
  const std::string command = nsys_command(view, foremost(answered(view, profiles)));
  facts.flag("command", !command.empty());
  facts.set_markdown("nsys", command);
  set_common(facts, view, profiles);
  std::vector<Facts> sentences;
  for (const Profile* profile : answered(view, profiles)) {
    const std::vector<Clock> found = clocks(*profile);
    if (!found.empty()) sentences.push_back(clock_sentence(*profile, found.front()));
  }
  facts.list("profiles", std::move(sentences));
  return facts;
}

TableView joined_data(const std::vector<Clock>& found) {
  TableView table{"clock-values",
                  "Times of the figure",
                  {{"Profile", "", Align::kLeft},
                   {"Step", "", Align::kLeft},
                   {"Timer", "ms", Align::kRight},
                   {"Profiler", "ms", Align::kRight}},
                  {}};
  for (const Clock& clock : found) {
    table.rows.push_back({{text_cell(clock.label), text_cell(std::string(pass_words(clock))),
                           ms_cell(clock.mean), ms_cell(clock.busy)},
                          {},
                          ""});
  }
  return table;
}

std::vector<NamedCell> named_cells(const std::vector<Profile>& profiles) {
  std::vector<NamedCell> cells;
  for (const Profile& profile : profiles) {
    for (const Cell* cell : profile.cells) {
      const Mode mode = cell->spec.mode.value_or(Mode::kForward);
      cells.push_back({profile.label + ", " + std::string(labreport::describe(mode)), cell});
    }
  }
  return cells;
}

}  // namespace

Figure clocks_figure(const std::vector<Profile>& shown) {
  const std::vector<Clock> found = clocks(shown);
  std::vector<std::string> groups;
  std::vector<std::string> lanes;
  std::vector<Joined> rows;
  for (const Clock& clock : found) {
    const std::string lane(pass_words(clock));
    add_once(groups, clock.label);
    add_once(lanes, lane);
    rows.push_back({clock.label,
                    lane,
                    {{"timer", clock.mean}, {"profiler", clock.busy}},
                    difference_text(clock)});
  }
  return {.slug = "timer-profiler",
          .title = "The timer's time and the profiler's",
          .caption =
              "The mean of unprofiled steps and the time in which a kernel ran, joined; "
              "beside them how far the profiler's time is off. The axis is logarithmic.",
          .alt =
              "Pairs of dots on a logarithmic time axis, timer and profiler joined, for each "
              "profiled step. The table below holds the same numbers.",
          .spec = joined_chart({"Time", "ms"}, groups, lanes, {"timer", "profiler"}, rows, {}),
          .data = joined_data(found)};
}

PartContent present_clocks(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  part.facts = make_facts(view, profiles);
  const std::vector<Profile> shown = spoken_of(view, profiles);
  if (!clocks(shown).empty()) part.figures = {clocks_figure(shown)};
  add_table(part, view, profiles, clocks_table);
  part.drawer.tables.push_back(split_table(profiles));
  part.drawer.tables.push_back(
      commands_table(view.run(), std::string(kProblem) + ".a", named_cells(profiles)));
  return part;
}

}  // namespace labreport::nsys_profile
