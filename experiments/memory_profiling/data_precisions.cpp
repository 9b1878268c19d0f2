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
  /// False if the step ran out of memory in both precisions.
  bool fits() const {
    return full->planned_step(mode)->out_of_memory() == nullptr ||
           reduced->planned_step(mode)->out_of_memory() == nullptr;
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

/// Explains the changes at contexts before the longest. Either both peaks lie in the optimizer, or
/// copies of the weights raise the peak, which moves to backward and would fall without them.
/// Returns nothing unless there are contexts of both kinds, and each other peak falls.
std::optional<Facts> shorter_facts(const PeakPairs& steps) {
  std::vector<std::string> optimizer, copies;
  for (const PeakPair& pair : steps) {
    const MemoryStep &full = *pair.full->measured_step(pair.mode),
                     &reduced = *pair.reduced->measured_step(pair.mode);
    const std::string context = format_count(pair.full->context());
    if (full.peak_phase() == metric::kOptimizer && reduced.peak_phase() == metric::kOptimizer) {
      optimizer.push_back(context);
    } else if (pair.relative_change() > 0) {
      const auto added = pair.category_change(metric::kWeightCopies);
      if (!added || full.peak_phase() != metric::kOptimizer ||
          reduced.peak_phase() != metric::kBackward ||
          pair.reduced_peak() - *added >= pair.full_peak())
        return std::nullopt;
      copies.push_back(context);
    }
  }
  if (optimizer.empty() || copies.empty()) return std::nullopt;
  return Facts().set("optimizer", join_words(optimizer)).set("copies", join_words(copies));
}

/// Judges how much the training step's peak changes, from its change at each context.
std::optional<Facts> step_facts(const PeakPairs& steps) {
  if (steps.empty()) return std::nullopt;
  const auto matter_count = std::ranges::count_if(steps, &PeakPair::matters);
  std::vector<std::string> changes = each(steps, [](const PeakPair& pair) {
    return "**" + pair.change_percent() + " %** at " + format_count(pair.full->context());
  });
  return Facts()
      .set("verdict", matter_count == 0                   ? "Not much"
                      : matter_count == std::ssize(steps) ? "Yes"
                                                          : "At some contexts")
      .set_markdown("changes", join_words(changes))
      .set("context", format_count(steps.back().full->context()))
      .set("share", steps.back().change_percent());
}

/// Explains the changes at the longest context whose training steps are compared: there activations
/// save more than copies of the weights add, and copies raise the peak of inference at its longest
/// context. Returns nothing unless both peaks of the step lie in one phase, and nothing else
/// changes them much.
std::optional<Facts> copies_facts(const PeakPairs& pairs) {
  const PeakPairs steps = measured_pairs(pairs, Mode::kTrainStep),
                  inferences = measured_pairs(pairs, Mode::kInference);
  if (steps.empty() || inferences.empty()) return std::nullopt;
  const PeakPair &step = steps.back(), &inference = inferences.back();
  const double saved = -step.category_change(metric::kActivations).value_or(0);
  const double added = step.category_change(metric::kWeightCopies).value_or(0);
  const double rise = inference.reduced_peak() - inference.full_peak();
  const double copies = inference.category_change(metric::kWeightCopies).value_or(0);
  const std::string phase = step.full->measured_step(step.mode)->peak_phase();
  const double unexplained = step.reduced_peak() - step.full_peak() - (added - saved);
  if (added <= 0 || added >= saved || std::abs(unexplained) > kMaxUnexplained * saved ||
      phase.empty() || phase != step.reduced->measured_step(step.mode)->peak_phase() || rise <= 0 ||
      copies < (1 - kMaxUnexplained) * rise)
    return std::nullopt;
  const std::int64_t longest = inference.full->context();
  const bool is_too_long = std::ranges::any_of(pairs, [&](const PeakPair& pair) {
    return pair.mode == step.mode && pair.full->context() == longest && !pair.fits();
  });
  std::string where = longest == step.full->context() ? "" : " at " + format_count(longest);
  if (is_too_long) where += ", where neither step fits";
  return Facts()
      .set("added", format_bytes_briefly(copies))
      .set("rise", format_percent(inference.relative_change()))
      .set("where", where);
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
  const auto change = [](const PeakPair& pair) {
    return pair.both_ran() ? Value(pair.relative_change()) : Value();
  };
  const auto category = [unit](const std::string& title, std::string_view name) {
    return bytes_column<PeakPair>(
        std::string(name), title,
        [=](const PeakPair& pair) {
          return pair.both_ran() ? pair.category_change(name) : std::nullopt;
        },
        unit);
  };
  const std::vector<Column<PeakPair>> columns{
      {"context", "Context", [](const PeakPair& pair) { return pair.full->context(); }, "",
       kRowNumber},
      {"step", "Step", [](const PeakPair& pair) { return mode_words(pair.mode); }},
      peak("own", full_title, &PeakPair::full),
      peak("reduced", reduced_title, &PeakPair::reduced),
      {"change", "Change", change, "%", kAsPercent},
      category("Change of activations", metric::kActivations),
      category("Of weight copies", metric::kWeightCopies)};
  return make_dataset("precisions", columns, pairs);
}

}  // namespace

PartContent present_precisions(const RunView& view, const std::vector<MemoryProfile>& profiles) {
  PartContent part;
  set_common_facts(part.facts, profiles);
  const ProfileList described = described_profiles(profiles);
  const PeakPairs pairs = pairs_of(profiles, described);
  const std::string precision = described.front()->precision();
  const std::string reduced(describe(reduced_precision(profiles).value_or(Precision::kBf16)));
  part.facts.set("reduced", reduced);
  const PeakPairs steps = measured_pairs(pairs, Mode::kTrainStep);
  const auto copies = copies_facts(pairs);
  part.facts.when("steps", step_facts(steps)).when("copies", copies);
  part.facts.when("shorter", copies ? shorter_facts(steps) : std::nullopt);
  part.facts.set("nothing", !steps.empty() ? ""
                                           : "No training step ran in two precisions, so there is "
                                             "nothing to compare.");
  part.datasets = {precisions_data(pairs, precision, reduced)};
  add_peaks_figure(part, view, profiles);
  return part;
}

}  // namespace labreport::memory_profiling
