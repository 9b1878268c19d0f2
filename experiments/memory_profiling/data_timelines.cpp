// Presents part (a): memory by category over an inference step and a training step.
#include "base/format.h"
#include "base/lists.h"
#include "document/peaks.h"
#include "experiments/common/bytes.h"
#include "experiments/memory_profiling/lifetimes.h"
#include "experiments/memory_profiling/presenters.h"
#include "experiments/memory_profiling/timeline.h"
#include "results/metric_names.h"
#include "results/run_store.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kNearCapacity = 0.75;         // The figure draws the capacity from this share on.
constexpr double kMostlyParameters = 0.95;     // Least share of parameters at a sawtooth's start.
constexpr double kMostOptimizerGrowth = 0.01;  // More memory stays after the optimizer.
constexpr double kInvisibleShare = 0.002;  // A thinner area, as a share of the peak, is invisible.

/// A step with a timeline; it may have run out of memory.
struct StepRecording {
  const MemoryProfile* profile;
  const MemoryStep* step;
  Timeline timeline;

  const Instant& start() const { return timeline.instants.front(); }
  /// Returns the allocated bytes at the peak: those of part (b) if the step succeeded.
  double peak_bytes() const {
    return step->bytes(metric::kMemory, metric::kPeakAllocated)
        .value_or(timeline.peak().allocated_bytes);
  }
  std::string title() const { return mode_words(step->mode()) + " of " + profile->words; }
};

/// Returns the step at the longest context with a timeline; `only_succeeded` leaves out failures.
std::optional<StepRecording> longest_recorded(const ProfileList& profiles, Mode mode,
                                              bool only_succeeded) {
  std::optional<StepRecording> longest;
  for (const MemoryProfile* profile : profiles) {
    const MemoryStep* step = profile->planned_step(mode);
    if (step == nullptr || step->launch == nullptr || (only_succeeded && !step->succeeded()))
      continue;
    StepRecording candidate{profile, step, timeline_of(*step->launch)};
    if (!candidate.timeline.empty()) longest = std::move(candidate);
  }
  return longest;
}

/// Returns the training step at the longest context. If that failed, the one at the longest context
/// that succeeded precedes it. If no training step has a timeline, a shorter mode is taken.
std::vector<StepRecording> recorded_training_steps(const ProfileList& profiles) {
  for (const Mode mode : {Mode::kTrainStep, Mode::kForwardBackward, Mode::kForward}) {
    const auto longest = longest_recorded(profiles, mode, false);
    if (!longest) continue;
    const auto longest_succeeded =
        longest->step->succeeded() ? std::nullopt : longest_recorded(profiles, mode, true);
    return longest_succeeded ? std::vector{*longest_succeeded, *longest} : std::vector{*longest};
  }
  return {};
}

/// Counts how often temporaries fall from above half of their maximum to half or below.
std::int64_t count_teeth(const Timeline& timeline) {
  const double most_temporaries = std::ranges::max(
      each(timeline.instants, [](const Instant& i) { return i.bytes_of(metric::kTemporary); }));
  std::int64_t count = 0;
  bool was_high = false;
  for (const Instant& instant : timeline.instants) {
    const bool is_high = instant.bytes_of(metric::kTemporary) > most_temporaries / 2;
    if (was_high && !is_high) ++count;
    was_high = is_high;
  }
  return count;
}

/// True for an inference step that starts with little but parameters, adds mostly temporaries, and
/// frees most of these at least once for each layer.
bool is_sawtooth(const StepRecording& recording) {
  const Instant &start = recording.start(), &peak = recording.timeline.peak();
  const auto& model = recording.step->spec().model;
  return recording.step->mode() == Mode::kInference && model &&
         count_teeth(recording.timeline) >= model->layers &&
         start.bytes_of(metric::kParameters) >= kMostlyParameters * start.requested_bytes() &&
         peak.bytes_of(metric::kTemporary) > (peak.requested_bytes() - start.requested_bytes()) / 2;
}

/// True if a training step with moments adds mostly saved activations until its peak, if backward
/// then frees more of these than it adds gradients, and if the optimizer ends as it began.
bool gradients_replace_activations(const StepRecording& recording) {
  const Instant &start = recording.start(), &peak = recording.timeline.peak();
  const Instant* end = recording.timeline.end_of(metric::kBackward);
  const Instant* optimizer_end = recording.timeline.end_of(metric::kOptimizer);
  return end != nullptr && end->event > peak.event && optimizer_end != nullptr &&
         optimizer_end->requested_bytes() <= (1 + kMostOptimizerGrowth) * end->requested_bytes() &&
         start.bytes_of(metric::kOptimizerMemory) > 0 &&
         peak.bytes_of(metric::kActivations) >
             (peak.requested_bytes() - start.requested_bytes()) / 2 &&
         end->requested_bytes() < peak.requested_bytes() &&
         end->bytes_of(metric::kGradients) > peak.bytes_of(metric::kGradients) &&
         end->bytes_of(metric::kActivations) < peak.bytes_of(metric::kActivations);
}

/// Returns a figure's title, "Memory rises from 38.1 GiB to 65.5 GiB in backward"; empty if it does
/// not rise.
std::string rise_words(const StepRecording& recording) {
  if (recording.peak_bytes() <= recording.start().allocated_bytes) return "";
  const std::string& phase = recording.timeline.peak().phase;
  const bool is_named =
      recording.step->mode() != Mode::kInference && !phase.empty() && phase != metric::kOther;
  return "Memory rises from " + format_bytes_briefly(recording.start().allocated_bytes) + " to " +
         format_bytes_briefly(recording.peak_bytes()) +
         (is_named ? " in " + phase_words(phase) : "") +
         (recording.step->succeeded() ? "" : ", then runs out");
}

/// Describes a recording; after `previous` without repeating its network and context.
Facts recording_facts(const StepRecording& recording, const StepRecording* previous,
                      const std::string& end) {
  const bool same_context = previous == nullptr || previous->profile == recording.profile;
  const std::string& phase = recording.timeline.peak().phase;
  const bool is_unnamed =
      recording.step->mode() == Mode::kInference || phase.empty() || phase == metric::kOther;
  return Facts()
      .set("subject",
           (previous == nullptr ? recording.title() : mode_words(recording.step->mode())) +
               (same_context ? "" : " at " + format_count(recording.profile->context())))
      .set("start", format_bytes_briefly(recording.start().allocated_bytes))
      .set("peak", format_bytes_briefly(recording.peak_bytes()))
      .set("where", (!recording.step->succeeded() ? " when memory runs out"
                     : is_unnamed                 ? ""
                                                  : " in " + phase_words(phase)) +
                        end);
}

/// A labelled point of the figure: the peak, or the GPU's capacity above the peak's event.
struct Mark {
  std::string kind;
  double event = 0, bytes = 0;
  std::string text;
};

Dataset marks_data(const StepRecording& recording, double capacity_bytes, const ByteUnit& unit) {
  const Instant& peak = recording.timeline.peak();
  const bool out_of_memory = recording.step->out_of_memory() != nullptr;
  std::vector<Mark> marks{{"peak", peak.event, peak.requested_bytes(),
                           "peak " + format_bytes(recording.peak_bytes()) +
                               (out_of_memory ? ", then out of memory" : "")}};
  if (capacity_bytes > 0 &&
      (out_of_memory || peak.requested_bytes() > kNearCapacity * capacity_bytes)) {
    marks.push_back(
        {"capacity", peak.event, capacity_bytes, "GPU capacity, " + format_bytes(capacity_bytes)});
  }
  const double floor_bytes = axis_begin_bytes(recording.timeline);
  // A figure of little change stands on the parameters.
  const double base_bytes = floor_bytes > 0 ? recording.start().bytes_of(metric::kParameters) : 0;
  const std::vector<Column<Mark>> columns{
      {"kind", "Kind", &Mark::kind},
      {"event", "Event", &Mark::event},
      bytes_column<Mark>("memory", "Memory", &Mark::bytes, unit),
      bytes_column<Mark>(
          "floor", "Axis", [floor_bytes](const Mark&) { return floor_bytes; }, unit),
      bytes_column<Mark>(
          "base", "Parameters below", [base_bytes](const Mark&) { return base_bytes; }, unit),
      {"text", "Words", &Mark::text},
      {"unit", "Unit", [unit](const Mark&) { return unit.name; }}};
  return make_dataset("marks", columns, marks);
}

/// The bytes of one category after one event.
struct Slice {
  const Instant* instant;
  CategoryWords category;
};

Dataset timeline_data(const std::vector<CategoryWords>& visible, const Timeline& timeline,
                      const ByteUnit& unit) {
  std::vector<Slice> slices;
  for (const CategoryWords& category : visible) {
    for (const Instant& instant : timeline.instants) slices.push_back({&instant, category});
  }
  const std::vector<Column<Slice>> columns{
      {"event", "Event", [](const Slice& slice) { return slice.instant->event; }},
      {"phase", "Phase", [](const Slice& slice) { return slice.instant->phase; }},
      {"category", "Held for", [](const Slice& slice) { return slice.category.words; }},
      bytes_column<Slice>(
          "memory", "Memory",
          [](const Slice& slice) { return slice.instant->bytes_of(slice.category.name); }, unit)};
  return make_dataset("timeline", columns, slices);
}

/// Lists memory at the start, the end of each phase and the peak. A failure's reason names its end.
Dataset stages_data(const std::vector<CategoryWords>& visible, const StepRecording& recording,
                    const ByteUnit& unit) {
  using Stage = std::pair<std::string, Instant>;
  const Timeline& timeline = recording.timeline;
  std::vector<Stage> stages{{"start", timeline.instants.front()}};
  for (const PhaseSpan& span : timeline.phases())
    stages.emplace_back("end of " + span.phase, *span.last);
  if (!recording.step->succeeded() && stages.size() > 1)
    stages.back().first = recording.step->why_no_peak();
  stages.emplace_back("peak, in " + timeline.peak().phase, timeline.peak());
  std::vector<Column<Stage>> columns{{"instant", "Instant", &Stage::first}};
  for (const CategoryWords& category : visible) {
    const std::string words(category.words);
    columns.push_back(bytes_column<Stage>(
        words, words,
        [category](const Stage& stage) { return stage.second.bytes_of(category.name); }, unit));
  }
  columns.push_back(bytes_column<Stage>(
      "requested", "Requested", [](const Stage& stage) { return stage.second.requested_bytes(); },
      unit));
  columns.push_back(bytes_column<Stage>(
      "allocated", "Allocated", [](const Stage& stage) { return stage.second.allocated_bytes; },
      unit));
  return make_dataset("stages", columns, stages);
}

/// Adds the datasets of one step's figures, and its snapshot. A capacity of 0 is not drawn.
void add_step(PartContent& part, const StepRecording& recording, const std::string& snapshot_name,
              double capacity_bytes) {
  const Timeline& timeline = recording.timeline;
  const ByteUnit unit = byte_unit(timeline.peak().requested_bytes());
  const double min_visible_bytes = kInvisibleShare * timeline.peak().requested_bytes();
  const auto visible = only(memory_categories(), [&](const CategoryWords& category) {
    return std::ranges::any_of(timeline.instants, [&](const Instant& instant) {
      return instant.bytes_of(category.name) > min_visible_bytes;
    });
  });
  std::vector<Dataset> datasets{timeline_data(visible, timeline, unit),
                                stages_data(visible, recording, unit),
                                marks_data(recording, capacity_bytes, unit)};
  datasets.front().finding = rise_words(recording);
  std::ranges::move(lifetime_datasets(timeline, allocations_of(*recording.step->launch), unit),
                    std::back_inserter(datasets));
  for (Dataset& dataset : datasets) {
    dataset.family = mode_words(recording.step->mode());
    dataset.variant = recording.title();
    part.datasets.push_back(std::move(dataset));
  }
  const Cell& cell = *recording.step->cell;
  const std::string launch_index = std::to_string(recording.step->launch - cell.launches.data());
  part.attachments.push_back({snapshot_name + artifact::kSnapshot, "",
                              cell.id + "." + launch_index + artifact::kSnapshot});
}

}  // namespace

PartContent present_timelines(const RunView& view, const std::vector<MemoryProfile>& profiles) {
  PartContent part;
  set_common_facts(part.facts, profiles);
  const ProfileList described = described_profiles(profiles);
  std::vector<StepRecording> steps = recorded_training_steps(described);
  const auto inference = longest_recorded(described, Mode::kInference, false);
  std::vector<StepRecording> told = steps;
  std::string end;  // The end of the last sentence tells which context does not fit.
  if (told.size() > 1) {
    end = "; at " + format_count(told.back().profile->context()) + " memory runs out";
    told.pop_back();
  }
  if (inference) {
    steps.insert(steps.begin(), *inference);
    told.insert(told.begin(), *inference);
  }
  for (const StepRecording& recording : steps) {
    const bool is_inference = recording.step->mode() == Mode::kInference;
    const char* snapshot_name = is_inference                  ? "memory-inference"
                                : recording.step->succeeded() ? "memory-step"
                                                              : "memory-step-out-of-memory";
    add_step(part, recording, snapshot_name,
             is_inference ? 0 : capacity_bytes(view, *recording.step));
  }
  std::vector<Facts> sentences;
  for (const StepRecording& recording : told)
    sentences.push_back(recording_facts(recording,
                                        &recording == told.data() ? nullptr : &recording - 1,
                                        &recording == &told.back() ? end : ""));
  part.facts.flag("nothing", told.empty()).list("recorded", std::move(sentences));
  part.facts.flag("stages", told.size() > 1 && is_sawtooth(told.front()) &&
                                gradients_replace_activations(told.back()));
  return part;
}

}  // namespace labreport::memory_profiling
