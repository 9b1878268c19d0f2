// Part (a): memory over an inference step and a training step, by what it is held for.
#include "base/lists.h"
#include "base/text.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/lifetimes.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/timeline.h"
#include "results/metric_names.h"
#include "results/run_store.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kNear = 0.75;        // Of the capacity: a curve that comes so near shows it.
constexpr double kInvisible = 0.002;  // Of the peak: an area too thin to be seen.

struct Shown {
  const Profile* profile;
  const Step* step;
  Timeline timeline;

  const Instant& start() const { return timeline.instants.front(); }
  std::string title() const { return mode_words(step->mode()) + " of " + profile->words; }
};

/// At the longest context that has a timeline; `whole`: only of a step that ran to its end.
std::optional<Shown> longest_shown(const Profiles& profiles, Mode mode, bool whole) {
  std::optional<Shown> found;
  for (const Profile* profile : profiles) {
    const Step* step = profile->asked(mode);
    if (step == nullptr || step->launch == nullptr || (whole && !step->ok())) continue;
    Shown candidate{profile, step, timeline_of(*step->launch)};
    if (!candidate.timeline.empty()) found = std::move(candidate);
  }
  return found;
}

/// The step at the longest context, and where that was refused memory the longest that ran; where
/// no such step has a timeline, the next lesser.
std::vector<Shown> steps_shown(const Profiles& profiles) {
  for (const Mode mode : {Mode::kTrainStep, Mode::kForwardBackward, Mode::kForward}) {
    const auto any = longest_shown(profiles, mode, false);
    if (!any) continue;
    const auto fits = any->step->ok() ? std::nullopt : longest_shown(profiles, mode, true);
    return fits ? std::vector{*fits, *any} : std::vector{*any};
  }
  return {};
}

/// "12.69 GiB of parameters and 25.38 GiB of optimizer state"
std::string parts_of(const Instant& instant) {
  const double least = kInvisible * instant.requested();
  const auto visible = only(categories(), [&](const Category& category) {
    return instant.of(category.name) > 0 && instant.of(category.name) >= least;
  });
  return join_words(each(visible, [&](const Category& category) {
    return format_bytes(instant.of(category.name)) + " of " + std::string(category.words);
  }));
}

/// What the optimizer requests beyond what was there when the backward pass ended.
double optimizer_rise(const Timeline& timeline) {
  const Instant* before = timeline.end_of(metric::kBackward);
  double most = 0;
  for (const Instant& instant : timeline.instants) {
    if (before != nullptr && instant.phase == metric::kOptimizer)
      most = std::max(most, instant.requested() - before->requested());
  }
  return most;
}

/// The one situation that a step is in: what lies above the start of a sawtooth are temporaries.
std::string_view situation(const Shown& shown) {
  const Instant& peak = shown.timeline.peak();
  if (!shown.step->ok()) return "refused";
  if (shown.timeline.end_of(metric::kBackward) != nullptr) return "trained";
  if (shown.step->mode() != Mode::kInference) return "forward_alone";
  const bool temporary =
      peak.of(metric::kTemporary) > (peak.requested() - shown.start().requested()) / 2;
  return temporary ? "sawtooth" : "rising";
}

/// The allocation that was refused.
std::optional<Facts> another_of(const Step& step) {
  const OutOfMemory* oom = step.refused();
  if (oom == nullptr || !oom->requested_bytes) return std::nullopt;
  return Facts().set("bytes", format_bytes(static_cast<double>(*oom->requested_bytes)));
}

Facts shown_values(const Shown& shown) {
  const Timeline& timeline = shown.timeline;
  const Instant &start = shown.start(), &peak = timeline.peak();
  const auto at_end = [&](std::string_view phase, std::string_view category) {
    const Instant* instant = timeline.end_of(phase);
    return format_bytes(instant == nullptr ? 0 : instant->of(category));
  };
  const bool loss = timeline.end_of(metric::kLoss) != nullptr;
  const bool trains = shown.step->mode() == Mode::kTrainStep;
  Facts values;
  for (const char* name : {"sawtooth", "rising", "trained", "forward_alone", "refused"})
    values.flag(name, name == situation(shown));
  return values.set("words", shown.title())
      .set("start", format_bytes(start.requested()))
      .set("parts", parts_of(start))
      .set("above", format_bytes(peak.requested() - start.requested()))
      .set("activations", at_end(loss ? metric::kLoss : metric::kForward, metric::kActivations))
      .set("gradients", at_end(metric::kBackward, metric::kGradients))
      .set("peak", format_bytes(peak.requested()))
      .when("rounded", format_bytes(peak.allocated) != format_bytes(peak.requested()), "allocated",
            format_bytes(peak.allocated))
      .set("phase", pass_words(peak.phase))
      .set("reason", shown.step->missing())
      .when("another", another_of(*shown.step))
      .flag("stateless", trains && start.of(metric::kOptimizerStates) <= 0)
      .when("updated", timeline.end_of(metric::kOptimizer) != nullptr, "optimizer",
            format_bytes(optimizer_rise(timeline)));
}

/// A place on the curve and its words: the peak, or the GPU's capacity.
struct Mark {
  std::string kind;
  double event = 0, bytes = 0;
  std::string text;
};

std::vector<Mark> marks_of(const Shown& shown, double capacity) {
  const Instant& peak = shown.timeline.peak();
  const bool refused = shown.step->refused() != nullptr;
  std::vector<Mark> marks{
      {"peak", peak.event, peak.requested(),
       "peak " + format_bytes(peak.requested()) + (refused ? ", then out of memory" : "")}};
  if (capacity > 0 && (refused || peak.requested() > kNear * capacity)) {
    marks.push_back({"capacity", peak.event, capacity, "GPU capacity, " + format_bytes(capacity)});
  }
  return marks;
}

Dataset marks_data(const Shown& shown, double capacity, const ByteUnit& unit) {
  const double floor = axis_begin(shown.timeline);
  const std::vector<Column<Mark>> columns{
      {"kind", "Kind", &Mark::kind},
      {"event", "Event", &Mark::event},
      bytes_column<Mark>("memory", "Memory", &Mark::bytes, unit),
      bytes_column<Mark>(
          "floor", "Axis", [floor](const Mark&) { return floor; }, unit),
      {"text", "Words", &Mark::text},
      {"unit", "Unit", [unit](const Mark&) { return unit.name; }}};
  return make_dataset("marks", columns, marks_of(shown, capacity));
}

/// What one category holds after one event.
struct Slice {
  const Instant* instant;
  Category category;
};

Dataset slices_data(const std::vector<Category>& visible, const Timeline& timeline,
                    const ByteUnit& unit) {
  std::vector<Slice> rows;
  for (const Category& category : visible) {
    for (const Instant& instant : timeline.instants) rows.push_back({&instant, category});
  }
  const std::vector<Column<Slice>> columns{
      {"event", "Event", [](const Slice& slice) { return slice.instant->event; }},
      {"phase", "Phase", [](const Slice& slice) { return slice.instant->phase; }},
      {"category", "Held for", [](const Slice& slice) { return slice.category.words; }},
      bytes_column<Slice>(
          "memory", "Memory",
          [](const Slice& slice) { return slice.instant->of(slice.category.name); }, unit)};
  return make_dataset("timeline", columns, rows);
}

/// Memory at the ends of the phases, the last of which may have been cut short, and at the peak.
Dataset stages_data(const std::vector<Category>& visible, const Shown& shown,
                    const ByteUnit& unit) {
  using Stage = std::pair<std::string, Instant>;
  const Timeline& timeline = shown.timeline;
  std::vector<Stage> rows{{"start", timeline.instants.front()}};
  for (const Stretch& phase : timeline.phases())
    rows.emplace_back("end of " + phase.phase, *phase.last);
  if (!shown.step->ok() && rows.size() > 1) rows.back().first = shown.step->missing();
  rows.emplace_back("peak, in " + timeline.peak().phase, timeline.peak());
  std::vector<Column<Stage>> columns{{"instant", "Instant", &Stage::first}};
  for (const Category& category : visible) {
    const std::string words(category.words);
    columns.push_back(bytes_column<Stage>(
        words, words, [category](const Stage& stage) { return stage.second.of(category.name); },
        unit));
  }
  columns.push_back(bytes_column<Stage>(
      "requested", "Requested", [](const Stage& stage) { return stage.second.requested(); }, unit));
  columns.push_back(bytes_column<Stage>(
      "allocated", "Allocated", [](const Stage& stage) { return stage.second.allocated; }, unit));
  return make_dataset("stages", columns, rows);
}

std::vector<Category> visible_in(const Timeline& timeline) {
  const double least = kInvisible * timeline.peak().requested();
  return only(categories(), [&](const Category& category) {
    return std::ranges::any_of(timeline.instants, [&](const Instant& instant) {
      return instant.of(category.name) > least;
    });
  });
}

/// The datasets of one step's figures, and its snapshot.
void add_step(PartContent& part, const Shown& shown, const std::string& file, double capacity) {
  const Timeline& timeline = shown.timeline;
  const ByteUnit unit = byte_unit(timeline.peak().requested());
  const std::vector<Category> visible = visible_in(timeline);
  std::vector<Dataset> all{slices_data(visible, timeline, unit), stages_data(visible, shown, unit),
                           marks_data(shown, capacity, unit)};
  std::ranges::move(lifetimes(timeline, allocations_of(*shown.step->launch), unit),
                    std::back_inserter(all));
  for (Dataset& dataset : all) {
    dataset.family = mode_words(shown.step->mode());
    dataset.variant = shown.title();
    part.datasets.push_back(std::move(dataset));
  }
  const Cell& cell = *shown.step->cell;
  const std::string launch = std::to_string(shown.step->launch - cell.launches.data());
  part.files.push_back(
      {file + artifact::kSnapshot, "", cell.id + "." + launch + artifact::kSnapshot});
}

}  // namespace

PartContent present_timelines(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Profiles spoken_of = answered(profiles);
  std::vector<Shown> all = steps_shown(spoken_of);
  const auto inference = longest_shown(spoken_of, Mode::kInference, false);
  if (inference) all.insert(all.begin(), *inference);
  part.facts.flag("nothing", all.empty()).list("recorded", each(all, shown_values));
  for (const Shown& shown : all) {
    const bool forward = shown.step->mode() == Mode::kInference;
    const char* file = forward            ? "memory-inference"
                       : shown.step->ok() ? "memory-step"
                                          : "memory-step-out-of-memory";
    add_step(part, shown, file, forward ? 0 : capacity(view, *shown.step));
  }
  return part;
}

}  // namespace labreport::memory_profiling
