// Part (c): the same peaks under mixed precision, what changes in them, and whether it matters.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/presenters.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kMatters = 0.05;  // A change of a peak by a smaller share does not matter.
constexpr double kRest = 0.1;      // A reason may be off by this share of its largest number.

/// One step at one context in two precisions.
struct Pair {
  const Profile* described;
  const Profile* reduced;
  Mode mode;

  bool both_ran() const { return described->ran(mode) != nullptr && reduced->ran(mode) != nullptr; }
  double from() const { return described->peak(mode).value_or(0); }
  double to() const { return reduced->peak(mode).value_or(0); }
  double change() const { return from() > 0 ? to() / from() - 1 : 0; }
  bool matters() const { return std::abs(change()) >= kMatters; }
  std::string share() const {
    return (change() < 0 ? "−" : "+") + format_percent(std::abs(change()));
  }
  /// The change of a category's bytes between the peaks of two steps that ran, if both recorded it.
  std::optional<double> change_of(std::string_view category) const {
    const auto before = described->ran(mode)->category(category);
    const auto after = reduced->ran(mode)->category(category);
    return before && after ? std::optional(*after - *before) : std::nullopt;
  }
};

using Pairs = std::vector<Pair>;

/// Pairs the steps that were planned in both precisions, shortest context first.
Pairs pairs_of(const std::vector<Profile>& profiles, const Profiles& described) {
  Pairs pairs;
  const Precision other = reduced_precision(profiles).value_or(Precision::kFp32);
  for (const Profile* first : described) {
    for (const Profile* second : of_same_network(profiles, *first, other)) {
      if (second == first || second->context() != first->context()) continue;
      for (const Mode mode : kModes) {
        if (first->planned(mode) && second->planned(mode)) pairs.push_back({first, second, mode});
      }
    }
  }
  return pairs;
}

/// The pairs of one mode that ran in both precisions.
Pairs of_mode(const Pairs& pairs, Mode mode) {
  return only(pairs, [mode](const Pair& pair) { return pair.mode == mode && pair.both_ran(); });
}

/// The bytes that smaller activations save and copies of the weights add; nothing unless these two
/// explain the change and both peaks lie in one phase.
std::optional<Facts> traded(const Pair& pair) {
  const auto activations = pair.change_of(metric::kActivations);
  const auto copies = pair.change_of(metric::kWeightCopies);
  const std::string phase = pair.described->ran(pair.mode)->peak_phase();
  if (!activations || !copies || *activations >= 0 || *copies <= 0 || phase.empty() ||
      phase != pair.reduced->ran(pair.mode)->peak_phase())
    return std::nullopt;
  const double rest = pair.to() - pair.from() - (*activations + *copies);
  if (std::abs(rest) > kRest * -*activations) return std::nullopt;
  return Facts()
      .set("saved", format_bytes_briefly(-*activations))
      .set("added", format_bytes_briefly(*copies));
}

/// The verdict counts all contexts; the text gives the changes at the shortest and the longest.
std::optional<Facts> step_values(const Pairs& steps) {
  if (steps.empty()) return std::nullopt;
  const Pair &first = steps.front(), &last = steps.back();
  const auto matter = std::ranges::count_if(steps, &Pair::matters);
  const auto reason = traded(last);
  return Facts()
      .set("verdict", matter == 0                   ? "Not much"
                      : matter == std::ssize(steps) ? "Yes"
                                                    : "It depends on the context")
      .set("context", format_count(first.described->context()))
      .set("share", first.share())
      .when("longer", steps.size() > 1,
            Facts()
                .set("context", format_count(last.described->context()))
                .set("share", last.share()))
      .when("traded", reason)
      .flag("unexplained", !reason && last.matters());
}

/// Describes the change of a forward's peak at the longest context whose steps are compared, else
/// at the longest. `copies` is set if copies of the weights raise that peak.
std::optional<Facts> forward_facts(const Pairs& pairs, const Pairs& steps) {
  for (const Mode mode : {Mode::kInference, Mode::kForward, Mode::kForwardBackward}) {
    const Pairs forwards = of_mode(pairs, mode);
    if (forwards.empty()) continue;
    const auto context = [](const Pair& pair) { return pair.described->context(); };
    const auto beside = steps.empty() ? forwards.end()
                                      : std::ranges::find(forwards, context(steps.back()), context);
    const Pair& pair = beside == forwards.end() ? forwards.back() : *beside;
    const double change = pair.to() - pair.from();
    const auto copies = pair.change_of(metric::kWeightCopies);
    return Facts()
        .set("step", mode == Mode::kInference ? "inference" : "the " + mode_words(mode))
        .set("context", format_count(pair.described->context()))
        .set("share", pair.share())
        .set("rise", format_percent(pair.change()))
        .flag("copies", change > 0 && copies && *copies >= (1 - kRest) * change)
        .flag("same", !steps.empty() && traded(steps.back()));
  }
  return std::nullopt;
}

bool step_does_not_fit(const Profile& profile) {
  const Step* step = profile.planned(Mode::kTrainStep);
  return step != nullptr && step->launch != nullptr && does_not_fit(step->launch->outcome);
}

/// Names contexts whose training step fits only in the reduced precision, and those where it fits
/// in neither.
void set_fits(Facts& facts, const Pairs& pairs) {
  std::vector<std::string> more, neither;
  for (const Pair& pair : pairs) {
    if (pair.mode != Mode::kTrainStep || !step_does_not_fit(*pair.described)) continue;
    const std::string context = format_count(pair.described->context());
    if (pair.reduced->ran(pair.mode) != nullptr) more.push_back(context);
    if (step_does_not_fit(*pair.reduced)) neither.push_back(context);
  }
  facts.when("fits_more", !more.empty(), "contexts", join_words(more));
  facts.when("fits_neither", !neither.empty(), "contexts", join_words(neither));
}

std::string reason(const Pair& pair) {
  std::vector<std::string> reasons;
  for (const Profile* profile : {pair.described, pair.reduced}) {
    const std::string missing = profile->planned(pair.mode)->missing();
    if (!missing.empty()) reasons.push_back(profile->precision() + ": " + missing);
  }
  return join(reasons, "; ");
}

Dataset both_precisions(const Pairs& pairs, const std::string& described,
                        const std::string& reduced) {
  double most = 0;
  for (const Pair& pair : pairs) most = std::max({most, pair.from(), pair.to()});
  const ByteUnit unit = byte_unit(most);
  const auto peak = [unit](const char* name, const std::string& title,
                           const Profile* Pair::* side) {
    return bytes_column<Pair>(
        name, title, [=](const Pair& pair) { return (pair.*side)->peak(pair.mode); }, unit, reason);
  };
  const auto ratio = [](const Pair& pair) {
    return pair.both_ran() && pair.from() > 0 ? Value(pair.to() / pair.from()) : Value();
  };
  const std::vector<Column<Pair>> columns{
      {"context", "Context", [](const Pair& pair) { return pair.described->context(); }, "",
       kNamed},
      {"step", "Step", [](const Pair& pair) { return mode_words(pair.mode); }},
      peak("own", described, &Pair::described),
      peak("reduced", reduced, &Pair::reduced),
      {"ratio", "Ratio", ratio, "×", {Notation::kFixed, 2}}};
  return make_dataset("precisions", columns, pairs);
}

}  // namespace

PartContent present_precisions(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Profiles described = described_profiles(profiles);
  const Pairs pairs = pairs_of(profiles, described);
  const std::string precision = described.front()->precision();
  const std::string other(describe(reduced_precision(profiles).value_or(Precision::kBf16)));
  part.facts.set("own", precision).set("reduced", other);
  part.facts.flag("alone", pairs.empty());
  part.facts.flag("none_in_both", !pairs.empty() && std::ranges::none_of(pairs, &Pair::both_ran));
  Pairs steps = of_mode(pairs_of(profiles, planned_in_full(described)), Mode::kTrainStep);
  if (steps.empty()) steps = of_mode(pairs, Mode::kTrainStep);
  part.facts.when("steps", step_values(steps));
  part.facts.when("forward", forward_facts(pairs, steps));
  set_fits(part.facts, pairs);
  part.datasets = {both_precisions(pairs, precision, other)};
  add_peaks_figure(part, view, profiles);
  return part;
}

}  // namespace labreport::memory_profiling
