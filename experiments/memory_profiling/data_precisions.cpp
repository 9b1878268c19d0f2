// Presents part (c): how a reduced precision changes the peaks, and whether that matters.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/bytes.h"
#include "experiments/memory_profiling/presenters.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kMatters = 0.05;        // A smaller |change| / peak does not matter.
constexpr double kMaxUnexplained = 0.1;  // A cause may leave this share of its effect unexplained.

/// One step at one context, in the precision that the answers describe and in the reduced one.
struct PeakPair {
  const MemoryProfile* full;
  const MemoryProfile* reduced;
  Mode mode;

  bool both_ran() const {
    return full->measured_step(mode) != nullptr && reduced->measured_step(mode) != nullptr;
  }
  double full_peak() const { return full->peak_bytes(mode).value_or(0); }
  double reduced_peak() const { return reduced->peak_bytes(mode).value_or(0); }
  double relative_change() const { return full_peak() > 0 ? reduced_peak() / full_peak() - 1 : 0; }
  bool matters() const { return std::abs(relative_change()) >= kMatters; }
  std::string change_percent() const {
    return (relative_change() < 0 ? "−" : "+") + format_percent(std::abs(relative_change()));
  }
  /// Returns the change of a category's bytes at the peak; nothing unless both steps recorded it.
  std::optional<double> category_change(std::string_view category) const {
    const auto before = full->measured_step(mode)->category_bytes(category);
    const auto after = reduced->measured_step(mode)->category_bytes(category);
    return before && after ? std::optional(*after - *before) : std::nullopt;
  }
};

using PeakPairs = std::vector<PeakPair>;

/// Pairs the steps that were planned in both precisions, shortest context first.
PeakPairs pairs_of(const std::vector<MemoryProfile>& profiles, const ProfileList& described) {
  PeakPairs pairs;
  const Precision reduced = reduced_precision(profiles).value_or(Precision::kFp32);
  for (const MemoryProfile* full_profile : described) {
    for (const MemoryProfile* reduced_profile :
         select_same_network(profiles, *full_profile, reduced)) {
      if (reduced_profile == full_profile || reduced_profile->context() != full_profile->context())
        continue;
      for (const Mode mode : kModes) {
        if (full_profile->planned_step(mode) && reduced_profile->planned_step(mode))
          pairs.push_back({full_profile, reduced_profile, mode});
      }
    }
  }
  return pairs;
}

/// Returns the pairs of one mode that were measured in both precisions.
PeakPairs measured_pairs(const PeakPairs& pairs, Mode mode) {
  return only(pairs, [mode](const PeakPair& pair) { return pair.mode == mode && pair.both_ran(); });
}

/// Returns the bytes that smaller activations save and the bytes that copies of the weights add.
/// Returns nothing unless these two explain the change and both peaks lie in one phase.
std::optional<Facts> traded_bytes(const PeakPair& pair) {
  const auto activations = pair.category_change(metric::kActivations);
  const auto copies = pair.category_change(metric::kWeightCopies);
  const std::string phase = pair.full->measured_step(pair.mode)->peak_phase();
  if (!activations || !copies || *activations >= 0 || *copies <= 0 || phase.empty() ||
      phase != pair.reduced->measured_step(pair.mode)->peak_phase())
    return std::nullopt;
  const double unexplained = pair.reduced_peak() - pair.full_peak() - (*activations + *copies);
  if (std::abs(unexplained) > kMaxUnexplained * -*activations) return std::nullopt;
  return Facts()
      .set("saved", format_bytes_briefly(-*activations))
      .set("added", format_bytes_briefly(*copies));
}

/// Keeps the shortest and the longest context, and those between at which the change turns.
PeakPairs turning_points(const PeakPairs& steps) {
  PeakPairs kept;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_end = i == 0 || i + 1 == steps.size();
    const double change = steps[i].relative_change();
    const bool turns = !is_end && (change > steps[i - 1].relative_change()) !=
                                      (steps[i + 1].relative_change() > change);
    if (is_end || turns) kept.push_back(steps[i]);
  }
  return kept;
}

/// Judges the change by all contexts, and gives it at those that show its course.
std::optional<Facts> step_facts(const PeakPairs& steps) {
  if (steps.empty()) return std::nullopt;
  const PeakPair& longest = steps.back();
  const auto matter_count = std::ranges::count_if(steps, &PeakPair::matters);
  const auto reason = traded_bytes(longest);
  const PeakPairs told = turning_points(steps);
  std::vector<Facts> changes;
  for (const PeakPair& pair : told) {
    const bool is_first = changes.empty(), is_last = changes.size() + 1 == told.size();
    changes.push_back(Facts()
                          .set("joint", is_first  ? ""
                                        : is_last ? " and "
                                                  : ", ")
                          .flag("first", is_first)
                          .set("share", pair.change_percent())
                          .set("context", format_count(pair.full->context())));
  }
  return Facts()
      .set("verdict", matter_count == 0                   ? "Not much"
                      : matter_count == std::ssize(steps) ? "Yes"
                                                          : "It depends on the context")
      .list("changes", std::move(changes))
      .set("context", format_count(longest.full->context()))
      .set("share", longest.change_percent())
      .when("traded", reason)
      .flag("unexplained", !reason && longest.matters());
}

/// Describes how the peak of a step without optimizer changes, at the longest context whose
/// training steps are compared, else at the longest. Copies of weights may explain a higher peak.
std::optional<Facts> forward_facts(const PeakPairs& pairs, const PeakPairs& steps) {
  for (const Mode mode : {Mode::kInference, Mode::kForward, Mode::kForwardBackward}) {
    const PeakPairs forwards = measured_pairs(pairs, mode);
    if (forwards.empty()) continue;
    const auto context = [](const PeakPair& pair) { return pair.full->context(); };
    const auto same_context = steps.empty()
                                  ? forwards.end()
                                  : std::ranges::find(forwards, context(steps.back()), context);
    const PeakPair& pair = same_context == forwards.end() ? forwards.back() : *same_context;
    const double change = pair.reduced_peak() - pair.full_peak();
    const auto copies = pair.category_change(metric::kWeightCopies);
    return Facts()
        .set("step", mode == Mode::kInference ? "inference" : "the " + mode_words(mode))
        .set("context", format_count(pair.full->context()))
        .set("share", pair.change_percent())
        .set("rise", format_percent(pair.relative_change()))
        .flag("copies", change > 0 && copies && *copies >= (1 - kMaxUnexplained) * change)
        .flag("same", !steps.empty() && traded_bytes(steps.back()));
  }
  return std::nullopt;
}

bool step_does_not_fit(const MemoryProfile& profile) {
  const MemoryStep* step = profile.planned_step(Mode::kTrainStep);
  return step != nullptr && step->launch != nullptr && does_not_fit(step->launch->outcome);
}

/// Names contexts at which the training step fits in the reduced precision alone, or in neither.
void set_fit_facts(Facts& facts, const PeakPairs& pairs) {
  std::vector<std::string> reduced_only, neither;
  for (const PeakPair& pair : pairs) {
    if (pair.mode != Mode::kTrainStep || !step_does_not_fit(*pair.full)) continue;
    const std::string context = format_count(pair.full->context());
    if (pair.reduced->measured_step(pair.mode) != nullptr) reduced_only.push_back(context);
    if (step_does_not_fit(*pair.reduced)) neither.push_back(context);
  }
  facts.when("fits_more", !reduced_only.empty(), "contexts", join_words(reduced_only));
  facts.when("fits_neither", !neither.empty(), "contexts", join_words(neither));
}

std::string reasons_without_peak(const PeakPair& pair) {
  std::vector<std::string> reasons;
  for (const MemoryProfile* profile : {pair.full, pair.reduced}) {
    const std::string reason = profile->planned_step(pair.mode)->why_no_peak();
    if (!reason.empty()) reasons.push_back(profile->precision() + ": " + reason);
  }
  return join(reasons, "; ");
}

Dataset precisions_data(const PeakPairs& pairs, const std::string& full_title,
                        const std::string& reduced_title) {
  double highest_peak_bytes = 0;
  for (const PeakPair& pair : pairs)
    highest_peak_bytes = std::max({highest_peak_bytes, pair.full_peak(), pair.reduced_peak()});
  const ByteUnit unit = byte_unit(highest_peak_bytes);
  const auto peak = [unit](const char* name, const std::string& title,
                           const MemoryProfile* PeakPair::* side) {
    return bytes_column<PeakPair>(
        name, title, [=](const PeakPair& pair) { return (pair.*side)->peak_bytes(pair.mode); },
        unit, reasons_without_peak);
  };
  const auto ratio = [](const PeakPair& pair) {
    return pair.both_ran() && pair.full_peak() > 0 ? Value(pair.reduced_peak() / pair.full_peak())
                                                   : Value();
  };
  const std::vector<Column<PeakPair>> columns{
      {"context", "Context", [](const PeakPair& pair) { return pair.full->context(); }, "",
       kRowNumber},
      {"step", "Step", [](const PeakPair& pair) { return mode_words(pair.mode); }},
      peak("own", full_title, &PeakPair::full),
      peak("reduced", reduced_title, &PeakPair::reduced),
      {"ratio", "Ratio", ratio, "×", {Notation::kFixed, 2}}};
  return make_dataset("precisions", columns, pairs);
}

}  // namespace

PartContent present_precisions(const RunView& view, const std::vector<MemoryProfile>& profiles) {
  PartContent part;
  set_common_facts(part.facts, view, profiles);
  const ProfileList described = described_profiles(profiles);
  const PeakPairs pairs = pairs_of(profiles, described);
  const std::string precision = described.front()->precision();
  const std::string reduced(describe(reduced_precision(profiles).value_or(Precision::kBf16)));
  part.facts.set("own", precision).set("reduced", reduced);
  part.facts.flag("alone", pairs.empty());
  part.facts.flag("none_in_both",
                  !pairs.empty() && std::ranges::none_of(pairs, &PeakPair::both_ran));
  const PeakPairs steps = measured_pairs(pairs, Mode::kTrainStep);
  part.facts.when("steps", step_facts(steps));
  part.facts.when("forward", forward_facts(pairs, steps));
  set_fit_facts(part.facts, pairs);
  part.datasets = {precisions_data(pairs, precision, reduced)};
  add_peaks_figure(part, view, profiles);
  return part;
}

}  // namespace labreport::memory_profiling
