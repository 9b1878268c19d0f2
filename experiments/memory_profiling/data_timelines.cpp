// Part (a): memory over an inference step and a training step, by what it is held for.
#include "base/format.h"
#include "base/lists.h"
#include "document/peaks.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/lifetimes.h"
#include "experiments/memory_profiling/presenters.h"
#include "experiments/memory_profiling/timeline.h"
#include "results/metric_names.h"
#include "results/run_store.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kNear = 0.75;        // The capacity is drawn if a peak exceeds this share of it.
constexpr double kMostly = 0.95;      // A sawtooth starts with at least this share in parameters.
constexpr double kInvisible = 0.002;  // Areas below this share of the peak are too thin to be seen.

/// A step with a timeline; it may have run out of memory.
struct RecordedStep {
  const Profile* profile;
  const Step* step;
  Timeline timeline;

  const Instant& start() const { return timeline.instants.front(); }
  std::string title() const { return mode_words(step->mode()) + " of " + profile->words; }
};

/// Takes the longest context that has a timeline, or with `succeeded` the longest whose step ran.
std::optional<RecordedStep> longest_recorded(const Profiles& profiles, Mode mode, bool succeeded) {
  std::optional<RecordedStep> longest;
  for (const Profile* profile : profiles) {
    const Step* step = profile->planned(mode);
    if (step == nullptr || step->launch == nullptr || (succeeded && !step->ok())) continue;
    RecordedStep candidate{profile, step, timeline_of(*step->launch)};
    if (!candidate.timeline.empty()) longest = std::move(candidate);
  }
  return longest;
}

/// Returns the training step at the longest context; if that failed, the longest that ran precedes
/// it. If no training step has a timeline, a shorter mode is taken.
std::vector<RecordedStep> training_steps_of(const Profiles& profiles) {
  for (const Mode mode : {Mode::kTrainStep, Mode::kForwardBackward, Mode::kForward}) {
    const auto any = longest_recorded(profiles, mode, false);
    if (!any) continue;
    const auto fits = any->step->ok() ? std::nullopt : longest_recorded(profiles, mode, true);
    return fits ? std::vector{*fits, *any} : std::vector{*any};
  }
  return {};
}

/// Counts how often temporaries fall from above half of their maximum to half or below.
std::int64_t teeth(const Timeline& timeline) {
  double most = 0;
  for (const Instant& instant : timeline.instants)
    most = std::max(most, instant.of(metric::kTemporary));
  std::int64_t count = 0;
  bool high = false;
  for (const Instant& instant : timeline.instants) {
    const bool above = instant.of(metric::kTemporary) > most / 2;
    if (high && !above) ++count;
    high = above;
  }
  return count;
}

/// True for an inference step that starts with little but parameters, adds mostly temporaries, and
/// frees most of these at least once for each layer.
bool is_sawtooth(const RecordedStep& recorded) {
  const Instant &start = recorded.start(), &peak = recorded.timeline.peak();
  const auto& model = recorded.step->spec().model;
  return recorded.step->mode() == Mode::kInference && model &&
         teeth(recorded.timeline) >= model->layers &&
         start.of(metric::kParameters) >= kMostly * start.requested() &&
         peak.of(metric::kTemporary) > (peak.requested() - start.requested()) / 2;
}

/// True if the step peaks before the optimizer and over half of what it added is saved activations.
bool climbs(const RecordedStep& recorded) {
  const Instant &start = recorded.start(), &peak = recorded.timeline.peak();
  return !peak.phase.empty() && peak.phase != metric::kOptimizer &&
         peak.of(metric::kActivations) > (peak.requested() - start.requested()) / 2;
}

/// True if from the peak to the end of backward gradients grow, activations shrink and memory
/// falls.
bool falls(const Timeline& timeline) {
  const Instant *end = timeline.end_of(metric::kBackward), &peak = timeline.peak();
  return end != nullptr && end->requested() < peak.requested() &&
         end->of(metric::kGradients) > peak.of(metric::kGradients) &&
         end->of(metric::kActivations) < peak.of(metric::kActivations);
}

/// "The training step of xl at context 512"; later steps name only what differs.
std::string subject(const RecordedStep& recorded, const RecordedStep* before) {
  if (before == nullptr) return "The " + recorded.title();
  const std::string step = mode_words(recorded.step->mode());
  if (before->profile == recorded.profile) return "The " + step;
  const std::string context = format_count(recorded.profile->context());
  return before->step->mode() == recorded.step->mode() ? "At " + context + " it"
                                                       : "At context " + context + " the " + step;
}

Facts recorded_facts(const RecordedStep& recorded, const RecordedStep* before) {
  const Instant &start = recorded.start(), &peak = recorded.timeline.peak();
  const char* situation = !recorded.step->ok()    ? "refused"
                          : is_sawtooth(recorded) ? "sawtooth"
                          : climbs(recorded)      ? "climbs"
                                                  : "plain";
  Facts values;
  for (const char* name : {"refused", "sawtooth", "climbs", "plain"})
    values.flag(name, std::string_view(name) == situation);
  return values.set("subject", subject(recorded, before))
      .set("start", format_bytes_briefly(start.requested()))
      .set("parameters", format_bytes_briefly(start.of(metric::kParameters)))
      .set("peak", format_bytes_briefly(peak.requested()))
      .when("in_phase", !peak.phase.empty(), "phase", phase_words(peak.phase))
      .flag("state", start.of(metric::kOptimizerStates) > 0)
      .flag("falls", falls(recorded.timeline))
      .set("reason",
           recorded.step->out_of_memory() != nullptr ? "out of memory" : recorded.step->missing());
}

/// A labelled point of the figure: the peak, or the GPU's capacity at the event of the peak.
struct Mark {
  std::string kind;
  double event = 0, bytes = 0;
  std::string text;
};

Dataset marks_data(const RecordedStep& recorded, double capacity, const ByteUnit& unit) {
  const Instant& peak = recorded.timeline.peak();
  const bool refused = recorded.step->out_of_memory() != nullptr;
  std::vector<Mark> marks{
      {"peak", peak.event, peak.requested(),
       "peak " + format_bytes(peak.requested()) + (refused ? ", then out of memory" : "")}};
  if (capacity > 0 && (refused || peak.requested() > kNear * capacity)) {
    marks.push_back({"capacity", peak.event, capacity, "GPU capacity, " + format_bytes(capacity)});
  }
  const double floor = axis_begin(recorded.timeline);
  const std::vector<Column<Mark>> columns{
      {"kind", "Kind", &Mark::kind},
      {"event", "Event", &Mark::event},
      bytes_column<Mark>("memory", "Memory", &Mark::bytes, unit),
      bytes_column<Mark>(
          "floor", "Axis", [floor](const Mark&) { return floor; }, unit),
      {"text", "Words", &Mark::text},
      {"unit", "Unit", [unit](const Mark&) { return unit.name; }}};
  return make_dataset("marks", columns, marks);
}

/// The bytes of one category after one event.
struct Slice {
  const Instant* instant;
  CategoryWords category;
};

Dataset slices_data(const std::vector<CategoryWords>& visible, const Timeline& timeline,
                    const ByteUnit& unit) {
  std::vector<Slice> rows;
  for (const CategoryWords& category : visible) {
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

/// Memory at the start, at each phase's end and at the peak; a failed phase is named by its reason.
Dataset stages_data(const std::vector<CategoryWords>& visible, const RecordedStep& recorded,
                    const ByteUnit& unit) {
  using Stage = std::pair<std::string, Instant>;
  const Timeline& timeline = recorded.timeline;
  std::vector<Stage> rows{{"start", timeline.instants.front()}};
  for (const Stretch& phase : timeline.phases())
    rows.emplace_back("end of " + phase.phase, *phase.last);
  if (!recorded.step->ok() && rows.size() > 1) rows.back().first = recorded.step->missing();
  rows.emplace_back("peak, in " + timeline.peak().phase, timeline.peak());
  std::vector<Column<Stage>> columns{{"instant", "Instant", &Stage::first}};
  for (const CategoryWords& category : visible) {
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

/// Adds the datasets of one step's figures and its snapshot, `file`; a capacity of 0 is not drawn.
void add_step(PartContent& part, const RecordedStep& recorded, const std::string& file,
              double capacity) {
  const Timeline& timeline = recorded.timeline;
  const ByteUnit unit = byte_unit(timeline.peak().requested());
  const double least = kInvisible * timeline.peak().requested();
  const auto visible = only(memory_categories(), [&](const CategoryWords& category) {
    return std::ranges::any_of(timeline.instants, [&](const Instant& instant) {
      return instant.of(category.name) > least;
    });
  });
  std::vector<Dataset> all{slices_data(visible, timeline, unit),
                           stages_data(visible, recorded, unit),
                           marks_data(recorded, capacity, unit)};
  std::ranges::move(lifetimes(timeline, allocations_of(*recorded.step->launch), unit),
                    std::back_inserter(all));
  for (Dataset& dataset : all) {
    dataset.family = mode_words(recorded.step->mode());
    dataset.variant = recorded.title();
    part.datasets.push_back(std::move(dataset));
  }
  const Cell& cell = *recorded.step->cell;
  const std::string launch = std::to_string(recorded.step->launch - cell.launches.data());
  part.attachments.push_back(
      {file + artifact::kSnapshot, "", cell.id + "." + launch + artifact::kSnapshot});
}

}  // namespace

PartContent present_timelines(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Profiles described = described_profiles(profiles);
  std::vector<RecordedStep> all = training_steps_of(described);
  const auto inference = longest_recorded(described, Mode::kInference, false);
  if (inference) all.insert(all.begin(), *inference);
  std::vector<Facts> sentences;
  for (const RecordedStep& recorded : all) {
    sentences.push_back(
        recorded_facts(recorded, &recorded == all.data() ? nullptr : &recorded - 1));
    const bool forward = recorded.step->mode() == Mode::kInference;
    const char* file = forward               ? "memory-inference"
                       : recorded.step->ok() ? "memory-step"
                                             : "memory-step-out-of-memory";
    add_step(part, recorded, file, forward ? 0 : capacity(view, *recorded.step));
  }
  part.facts.flag("nothing", all.empty()).list("recorded", std::move(sentences));
  return part;
}

}  // namespace labreport::memory_profiling
