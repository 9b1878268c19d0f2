// Part (a): memory over an inference step and a training step, by what it is held for.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/lifetimes.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/timeline.h"
#include "results/metric_names.h"
#include "results/run_store.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kNamedAllocations = 4;
constexpr double kNear = 0.75;        // Of the capacity: a curve that comes so near shows it.
constexpr double kInvisible = 0.002;  // Of the peak: an area too thin to be seen.

struct Shown {
  const Profile* profile;
  const Step* step;
  Timeline timeline;
  std::vector<Allocation> allocations = {};

  const Instant& start() const { return timeline.instants.front(); }
  std::string title() const { return mode_words(step->mode()) + ", " + profile->words; }
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
  if (found) found->allocations = allocations_of(*found->step->launch);
  return found;
}

/// The step at the longest context, and where that was refused memory the longest that ran; where
/// no such step has a timeline, the next lesser.
std::vector<Shown> steps_shown(const Profiles& profiles) {
  for (const Mode mode : {Mode::kTrainStep, Mode::kForwardBackward, Mode::kForward}) {
    const auto any = longest_shown(profiles, mode, false);
    if (!any) continue;
    const auto fits = any->step->ok() ? std::nullopt : longest_shown(profiles, mode, true);
    return fits ? std::vector{*any, *fits} : std::vector{*any};
  }
  return {};
}

/// "12.69 GiB of parameters and 25.38 GiB of AdamW state"
std::string parts_of(const Instant& instant) {
  std::vector<std::string> parts;
  for (const Category& category : categories()) {
    const double bytes = instant.of(category.name);
    if (bytes < kInvisible * instant.requested() || bytes <= 0) continue;
    parts.push_back(format_bytes(bytes) + " of " + std::string(category.words));
  }
  return join_words(parts);
}

std::string bytes_at(const Instant* instant, std::string_view category) {
  return format_bytes(instant == nullptr ? 0 : instant->of(category));
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

Facts values_of(const Shown& shown) {
  const Instant& peak = shown.timeline.peak();
  const Instant* loss = shown.timeline.end_of(metric::kLoss);
  Facts values;
  values.set("words", shown.title());
  values.set("start", format_bytes(shown.start().requested()));
  values.set("parts", parts_of(shown.start()));
  values.set("above", format_bytes(peak.requested() - shown.start().requested()));
  values.set("copies", format_bytes(peak.of(metric::kWeightCopies)));
  values.set("activations",
             bytes_at(loss != nullptr ? loss : shown.timeline.end_of(metric::kForward),
                      metric::kActivations));
  values.set("gradients", bytes_at(shown.timeline.end_of(metric::kBackward), metric::kGradients));
  values.set("optimizer", format_bytes(optimizer_rise(shown.timeline)));
  values.set("peak", format_bytes(peak.requested()));
  values.set(
      "allocated",
      format_bytes(
          shown.step->bytes(metric::kMemory, metric::kPeakAllocated).value_or(peak.allocated)));
  values.set("phase", pass_words(peak.phase));
  values.set("reason", shown.step->missing());
  return values;
}

/// What lies above the start at the peak is nearly all temporaries.
bool sawtooth(const Shown& shown) {
  const Instant& peak = shown.timeline.peak();
  return peak.of(metric::kTemporary) > (peak.requested() - shown.start().requested()) / 2;
}

void set_facts(Facts& facts, const std::vector<Shown>& inferences,
               const std::vector<Shown>& steps) {
  std::map<std::string, std::vector<Facts>> lists{
      {"sawtooth", {}}, {"rising", {}},  {"copies_in_it", {}},  {"refused", {}}, {"stateless", {}},
      {"trained", {}},  {"updated", {}}, {"forward_alone", {}}, {"recorded", {}}};
  for (const Shown& shown : inferences) {
    const Facts values = values_of(shown);
    if (!shown.step->ok()) lists["refused"].push_back(values);
    if (shown.step->ok()) lists[sawtooth(shown) ? "sawtooth" : "rising"].push_back(values);
    if (shown.step->ok() && shown.timeline.peak().of(metric::kWeightCopies) > 0)
      lists["copies_in_it"].push_back(values);
    lists["recorded"].push_back(values);
  }
  for (const Shown& shown : steps) {
    const Facts values = values_of(shown);
    const bool trained = shown.timeline.end_of(metric::kBackward) != nullptr;
    const bool stateless =
        shown.step->mode() == Mode::kTrainStep && shown.start().of(metric::kOptimizerStates) <= 0;
    if (!shown.step->ok()) lists["refused"].push_back(values);
    if (!shown.step->ok() && stateless) lists["stateless"].push_back(values);
    if (shown.step->ok()) lists[trained ? "trained" : "forward_alone"].push_back(values);
    if (shown.step->ok() && shown.timeline.end_of(metric::kOptimizer) != nullptr)
      lists["updated"].push_back(values);
    lists["recorded"].push_back(values);
  }
  facts.flag("nothing", inferences.empty() && steps.empty());
  for (auto& [name, list] : lists) facts.list(name, std::move(list));
}

/// In events, to the nearest of `others`.
double distance(const Allocation& one, const std::vector<Allocation>& others) {
  double nearest = one.made;
  for (const Allocation& other : others)
    nearest = std::min(nearest, std::abs(one.made - other.made));
  return nearest;
}

/// Of the largest kinds one each; of the many that a kind has, the one farthest from those chosen,
/// so that their marks stand apart.
std::vector<Allocation> named(const std::vector<Allocation>& allocations) {
  std::vector<Allocation> found;
  for (const Allocation& kind : allocations) {
    const bool known =
        std::ranges::any_of(found, [&](const Allocation& other) { return same_kind(other, kind); });
    if (known || kind.made <= 0 || (kind.operation.empty() && kind.op.empty())) continue;
    const Allocation* best = &kind;
    for (const Allocation& one : allocations) {
      const bool same = same_kind(one, kind) && one.bytes == kind.bytes && one.made > 0;
      if (same && distance(one, found) > distance(*best, found)) best = &one;
    }
    found.push_back(*best);
    if (found.size() == kNamedAllocations) break;
  }
  std::ranges::sort(found, {}, &Allocation::made);
  return found;
}

/// A place on the curve and its words: the peak, a large allocation, the end of a refused step, or
/// the GPU's capacity.
struct Mark {
  std::string kind, number;
  double event = 0, bytes = 0;
  std::string text, short_text;
};

const Instant& instant_at(const Timeline& timeline, double event) {
  const auto found = std::ranges::lower_bound(timeline.instants, event, {}, &Instant::event);
  return found == timeline.instants.end() ? timeline.instants.back() : *found;
}

std::vector<Mark> marks_of(const Shown& shown, double capacity) {
  const Instant& peak = shown.timeline.peak();
  const OutOfMemory* refused = shown.step->refused();
  std::string words = "peak " + format_bytes(peak.requested());
  if (refused != nullptr && refused->requested_bytes) {
    words += ", then refused " + format_bytes(static_cast<double>(*refused->requested_bytes));
  }
  if (shown.step->mode() == Mode::kInference) words += " with parameters";
  std::vector<Mark> marks{{"peak", "", peak.event, peak.requested(), words, ""}};
  for (const Allocation& one : named(shown.allocations)) {
    const Instant& instant = instant_at(shown.timeline, one.made);
    const std::string op = allocated_by(one.operation, one.op);
    const bool plain = one.operation.empty() || one.operation == op;
    const std::string what = plain ? op : one.operation + " (" + last_of(op, "::") + ")";
    marks.push_back({"allocation", std::to_string(marks.size()), instant.event, instant.requested(),
                     format_bytes(one.bytes) + ", " + where(what, one.module, op),
                     format_bytes(one.bytes) + ", " + what});
  }
  if (capacity > 0) {
    marks.push_back(
        {"capacity", "", peak.event, capacity, "GPU capacity, " + format_bytes(capacity), ""});
  }
  return marks;
}

/// What the GPU has, where the curve comes near it; else 0.
double drawn_capacity(const RunView& view, const Shown& shown) {
  const double bytes = capacity(view, *shown.step);
  const bool near =
      shown.step->refused() != nullptr || shown.timeline.peak().requested() > kNear * bytes;
  return near ? bytes : 0;
}

Dataset marks_data(const Shown& shown, double capacity, const ByteUnit& unit) {
  const double last = shown.timeline.instants.back().event;
  const double held = shown.timeline.held_throughout();
  const std::vector<Column<Mark>> columns{
      {"kind", "Kind", &Mark::kind},
      {"number", "Number", &Mark::number},
      {"event", "Event", &Mark::event},
      bytes_column<Mark>("memory", "Memory", &Mark::bytes, unit),
      bytes_column<Mark>(
          "held", "Held throughout", [held](const Mark&) { return held; }, unit),
      {"text", "Words", &Mark::text},
      {"short", "Words on a phone", &Mark::short_text},
      bytes_column<Mark>(
          "capacity", "GPU capacity", [capacity](const Mark&) { return capacity; }, unit),
      {"last", "Last event", [last](const Mark&) { return last; }},
      {"unit", "Unit", [unit](const Mark&) { return unit.name; }}};
  return make_dataset("marks", columns, marks_of(shown, capacity));
}

/// What one category holds after one event.
struct Slice {
  double event = 0;
  std::string_view category;
  double bytes = 0;
};

Dataset slices_data(const std::string& name, const Timeline& timeline, const ByteUnit& unit) {
  std::vector<Slice> rows;
  for (const Category& category : categories()) {
    const auto of_it = [&](const Instant& instant) { return instant.of(category.name); };
    const double most = of_it(*std::ranges::max_element(timeline.instants, {}, of_it));
    if (most <= kInvisible * timeline.peak().requested()) continue;
    for (const Instant& instant : timeline.instants)
      rows.push_back({instant.event, category.words, of_it(instant)});
  }
  const std::vector<Column<Slice>> columns{
      {"event", "Event", &Slice::event},
      {"category", "Held for", &Slice::category},
      bytes_column<Slice>("memory", "Memory", &Slice::bytes, unit)};
  return make_dataset(name, columns, rows);
}

Dataset totals_data(const Timeline& timeline, const ByteUnit& unit) {
  const double begin = axis_begin(timeline);
  const std::vector<Column<Instant>> columns{
      {"event", "Event", &Instant::event},
      {"ms", "Time", &Instant::ms, "ms", {Notation::kFixed, 1}},
      {"phase", "Phase", &Instant::phase},
      bytes_column<Instant>("requested", "Requested", &Instant::requested, unit),
      bytes_column<Instant>("allocated", "Allocated", &Instant::allocated, unit),
      bytes_column<Instant>("floor", "Axis", [begin](const Instant&) { return begin; }, unit)};
  return make_dataset("totals", columns, timeline.instants);
}

Dataset phases_data(const Timeline& timeline) {
  const std::vector<Column<Stretch>> columns{
      {"phase", "Phase", &Stretch::phase},
      {"from", "From", [](const Stretch& phase) { return phase.first->event; }},
      {"to", "To", [](const Stretch& phase) { return phase.last->event; }}};
  return make_dataset("phases", columns, timeline.phases());
}

/// Memory at the ends of the phases and at the peak.
struct Stage {
  std::string label;
  Instant instant;
};

Dataset stages_data(const Timeline& timeline, const ByteUnit& unit) {
  std::vector<Stage> rows{{"start", timeline.instants.front()}};
  for (const Stretch& phase : timeline.phases())
    rows.push_back({"end of " + phase.phase, *phase.last});
  rows.push_back({"peak, in " + timeline.peak().phase, timeline.peak()});
  std::vector<Column<Stage>> columns{{"instant", "Instant", &Stage::label},
                                     {"ms",
                                      "Time",
                                      [](const Stage& stage) { return stage.instant.ms; },
                                      "ms",
                                      {Notation::kFixed, 1}}};
  for (const Category& category : categories()) {
    const std::string words(category.words);
    columns.push_back(bytes_column<Stage>(
        words, words, [&category](const Stage& stage) { return stage.instant.of(category.name); },
        unit));
  }
  columns.push_back(bytes_column<Stage>(
      "requested", "Requested", [](const Stage& stage) { return stage.instant.requested(); },
      unit));
  columns.push_back(bytes_column<Stage>(
      "allocated", "Allocated", [](const Stage& stage) { return stage.instant.allocated; }, unit));
  return make_dataset("stages", columns, rows);
}

/// The datasets of one step's figures, and its snapshot.
void add_step(PartContent& part, const Shown& shown, const std::string& name,
              const std::string& file, double capacity) {
  const ByteUnit unit = byte_unit(shown.timeline.peak().requested());
  std::vector<Dataset> all{slices_data(name, shown.timeline, unit),
                           totals_data(shown.timeline, unit), phases_data(shown.timeline),
                           stages_data(shown.timeline, unit), marks_data(shown, capacity, unit)};
  for (Dataset& dataset : lifetimes(shown.timeline, shown.allocations, unit))
    all.push_back(std::move(dataset));
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
  const auto inference = longest_shown(spoken_of, Mode::kInference, false);
  const std::vector<Shown> steps = steps_shown(spoken_of);
  set_facts(part.facts, inference ? std::vector{*inference} : std::vector<Shown>(), steps);
  if (inference) add_step(part, *inference, "inference-timeline", "memory-inference", 0);
  for (const Shown& shown : steps) {
    const char* file = &shown == &steps.front() ? "memory-step" : "memory-step-that-fits";
    add_step(part, shown, "step-timeline", file, drawn_capacity(view, shown));
  }
  return part;
}

}  // namespace labreport::memory_profiling
