// Part (b): two peaks a context, and what by arithmetic they are made of.
#include <algorithm>
#include <ranges>

#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/peak_chart.h"
#include "experiments/memory_profiling/peak_tables.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

/// The profiles that hold one of the two numbers or say why they do not.
Profiles own_precision(const std::vector<Profile>& profiles) {
  const auto precision = answered(profiles).front()->spec.precision;
  Profiles found;
  for (const Profile& profile : profiles) {
    if (profile.spec.precision == precision) found.push_back(&profile);
  }
  return found;
}

std::vector<Facts> rows_of(const Profiles& spoken_of) {
  std::vector<Facts> rows;
  for (const Profile* profile : spoken_of) {
    const auto inference = profile->peak(Mode::kInference);
    const auto step = profile->peak(Mode::kTrainStep);
    if (!inference && !step) continue;
    Facts facts;
    facts.set("context", format_count(profile->context()));
    facts.flag("inference", inference.has_value());
    facts.set("inference_bytes", format_bytes(inference.value_or(0)));
    facts.flag("step", step.has_value());
    facts.set("step_bytes", format_bytes(step.value_or(0)));
    facts.flag("both", inference && step);
    rows.push_back(std::move(facts));
  }
  return rows;
}

bool some_step_has_no_room(const std::vector<Profile>& profiles) {
  return std::ranges::any_of(profiles, [](const Profile& profile) {
    const Step* step = profile.asked(Mode::kTrainStep);
    return step != nullptr && step->launch != nullptr && does_not_fit(step->launch->outcome);
  });
}

/// Where some step had no room: the largest network and the longest context that had.
void set_largest(Facts& facts, const std::vector<Profile>& profiles) {
  const Profile* fits = longest(answered(profiles), Mode::kTrainStep);
  facts.flag("limited", some_step_has_no_room(profiles));
  facts.flag("some_fit", fits != nullptr);
  facts.set("fits", fits == nullptr ? "" : fits->words);
}

/// Other networks than the one that the answer speaks of.
std::vector<Facts> other_missing(const std::vector<Profile>& profiles) {
  const Profiles spoken_of = answered(profiles);
  std::vector<Facts> missing;
  for (const Profile* profile : own_precision(profiles)) {
    const std::string reason = reasons_missing(*profile);
    const bool other = profile->spec.model != spoken_of.front()->spec.model;
    if (!other || reason.empty()) continue;
    missing.emplace_back();
    missing.back().set("words", profile->words);
    missing.back().set("reason", reason);
  }
  return missing;
}

constexpr std::pair<Mode, const char*> kBars[]{
    {Mode::kInference, "inference"}, {Mode::kForward, "forward"}, {Mode::kTrainStep, "train step"}};

/// Its data are the part's first table.
Figure peaks_figure(const RunView& view, const Profiles& rows) {
  PeakChart chart{"Context", {}, {"inference", "forward", "train step"}, {}, 0};
  for (const Profile* profile : rows) {
    for (const auto& [mode, name] : kBars) {
      const Step* step = profile->asked(mode);
      if (step == nullptr) continue;
      chart.capacity = std::max(chart.capacity, capacity(view, *step));
      const auto peak = profile->peak(mode);
      const std::string reason = step->missing();
      if (peak) chart.bars.push_back({profile->place, name, *peak});
      // The chart has room for no more than the beginning; the table says the rest.
      if (!peak) chart.gaps.push_back({profile->place, name, reason.substr(0, reason.find(':'))});
    }
  }
  return {.slug = "memory-peaks",
          .title = "Peak memory by context",
          .caption =
              "Allocated bytes. *Forward* is with grad: the network's activations are kept "
              "for a backward pass that never comes." +
              capacity_words(chart),
          .alt =
              "Bars of peak memory for each context: inference, forward with grad and train "
              "step. The table below holds the same numbers.",
          .spec = peak_chart(chart),
          .data = {}};
}

}  // namespace

PartContent present_peaks(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Profiles spoken_of = answered(profiles);
  const Profiles rows = own_precision(profiles);
  auto sentences = rows_of(spoken_of);
  part.facts.flag("nothing", sentences.empty());
  part.facts.list("rows", std::move(sentences));
  part.facts.list("others", other_missing(profiles));
  set_largest(part.facts, profiles);
  part.facts.flag("others_ran", anything_ran(rows));
  if (anything_ran(rows)) part.figures = {peaks_figure(view, rows)};
  part.tables = {peaks_table(rows), arithmetic_table(rows)};
  part.drawer.tables = {
      meanings_table(rows),    allocator_table(rows),
      composition_table(rows), parts_table(rows),
      formulas_table(),        commands_table(view.run(), kProblem, named_cells(profiles))};
  part.drawer.warnings = warnings(profiles);
  return part;
}

std::vector<Glance> glance(const std::vector<Profile>& profiles) {
  const Profile* profile = longest(answered(profiles), Mode::kTrainStep);
  if (profile == nullptr) return {};
  const std::string anchor = std::string(kProblem) + "-b";
  const std::string words =
      profile->words + " in " +
      std::string(describe(profile->spec.precision.value_or(Precision::kFp32)));
  std::vector<Glance> numbers{{"Peak memory of a train step, " + words,
                               format_bytes(profile->peak(Mode::kTrainStep).value_or(0)), anchor}};
  // Where every step fits, the largest is none that the device sets.
  if (some_step_has_no_room(profiles)) {
    numbers.push_back({"Largest train step that fits", words, anchor});
  }
  return numbers;
}

}  // namespace labreport::memory_profiling
