// Part (c): the same peaks under mixed precision, what changes in them, and whether it matters.
#include <cmath>

#include "base/lists.h"
#include "base/text.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/timeline.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kMatters = 0.05;  // Of the training step's peak.
constexpr double kSame = 0.001;
constexpr double kWorthAWord = 0.002;  // Of the peak: a category's change.
constexpr double kMost = 0.8;

/// One step at one context in two precisions.
struct Pair {
  const Profile* own;
  const Profile* reduced;
  Mode mode;

  bool both_ran() const { return own->ran(mode) != nullptr && reduced->ran(mode) != nullptr; }
  double from() const { return own->peak(mode).value_or(0); }
  double to() const { return reduced->peak(mode).value_or(0); }
  double change() const { return from() > 0 ? to() / from() - 1 : 0; }
  double size() const { return std::abs(change()); }
  /// Of one that ran in both.
  const Step& before() const { return *own->ran(mode); }
  const Step& after() const { return *reduced->ran(mode); }
};

using Pairs = std::vector<Pair>;

/// By rising context, of each the modes that both were asked for.
Pairs pairs_of(const std::vector<Profile>& profiles, const Profiles& own) {
  Pairs pairs;
  const Precision other = reduced(profiles).value_or(Precision::kFp32);
  for (const Profile* first : own) {
    for (const Profile* second : alike(profiles, *first, other)) {
      if (second == first || second->context() != first->context()) continue;
      for (const Mode mode : kModes) {
        if (first->asked(mode) && second->asked(mode)) pairs.push_back({first, second, mode});
      }
    }
  }
  return pairs;
}

/// Those that ran in both.
Pairs of_mode(const Pairs& pairs, Mode mode) {
  return only(pairs, [mode](const Pair& pair) { return pair.mode == mode && pair.both_ran(); });
}

std::string noun(const Category& category) {
  return category.name == metric::kTemporary ? "temporaries" : std::string(category.words);
}

/// "saves 8.95 GiB of activations and adds 6.09 GiB of weight copies"; empty where they do not add
/// up to the change.
std::string parts_of(const Pair& pair) {
  std::vector<std::pair<double, std::string>> parts;
  double sum = 0;
  for (const Category& category : categories()) {
    const auto before = pair.before().category(category.name);
    const auto after = pair.after().category(category.name);
    if (!before || !after) return "";
    const double change = *after - *before;
    sum += change;
    if (std::abs(change) < kWorthAWord * pair.from()) continue;
    parts.emplace_back(std::abs(change), (change < 0 ? "saves " : "adds ") +
                                             format_bytes(std::abs(change)) + " of " +
                                             noun(category));
  }
  if (!(std::abs(sum - (pair.to() - pair.from())) < kMatters * pair.from())) return "";
  std::ranges::stable_sort(parts, std::greater(), &std::pair<double, std::string>::first);
  return join_words(each(parts, &std::pair<double, std::string>::second));
}

/// Where the peak lies in another phase than before, what of the new one was gone in the old;
/// empty: it stays. The categories at both peaks were measured.
std::string moved(const Pair& pair) {
  const std::string before = pair.before().peak_phase(), after = pair.after().peak_phase();
  if (before == after || before.empty() || after != metric::kBackward) return "";
  return "peaks in " + pass_words(after) + ", not in " + pass_words(before) + ", with " +
         format_bytes(*pair.after().category(metric::kActivations)) + " of activations and " +
         format_bytes(*pair.after().category(metric::kWeightCopies)) +
         " of weight copies still alive";
}

/// Most of a step that hardly changes is held in both precisions alike.
bool stays(const Pair& pair) {
  const auto held = pair.before().held(), after = pair.after().held();
  return pair.size() < kMatters && held && after && *held > kMost * pair.from() &&
         std::abs(*after / *held - 1) < kSame;
}

/// What changes between the peaks; empty where the categories do not tell.
std::string change_reason(const Pair& pair) {
  const std::string parts = parts_of(pair);
  if (parts.empty()) return "";
  const std::string phase = moved(pair);
  return pair.reduced->precision() + " " + (phase.empty() ? parts : phase);
}

std::string stay_reason(const Pair& pair) {
  return format_bytes(*pair.before().state()) +
         " of it is parameters, gradients and optimizer state, which stay in " +
         pair.own->precision();
}

Facts pair_values(const Pair& pair, const std::string& reason) {
  return Facts()
      .set("step", mode_words(pair.mode))
      .set("context", format_count(pair.own->context()))
      .set("from", format_bytes(pair.from()))
      .set("to", format_bytes(pair.to()))
      .set("share", (pair.change() < 0 ? "−" : "+") + format_percent(pair.size()))
      .when("reason", !reason.empty(), "words", reason)
      .flag("unexplained", reason.empty() && pair.size() >= kSame);
}

/// Whether the step's peak changes, and in which direction.
Facts directed(const Pair& pair, const std::string& reason) {
  const bool hardly = pair.size() < kMatters;
  return pair_values(pair, reason)
      .flag("hardly", hardly)
      .flag("saves", !hardly && pair.change() < 0)
      .flag("costs", !hardly && pair.change() > 0);
}

Facts changed(const Pair& pair) { return pair_values(pair, change_reason(pair)); }

/// Whether it matters: by the step at the shortest context, then by the one that changes most,
/// where that is another.
void set_steps(Facts& facts, const Pairs& steps) {
  facts.when("verdict", std::nullopt).when("shortest", std::nullopt);
  if (steps.empty()) return;
  const Pair &most = *largest(steps, &Pair::size), &shortest = steps.front();
  const bool later = &most != &shortest;
  const bool matters = most.size() >= kMatters && shortest.size() < kMatters;
  facts.when("verdict", directed(most, change_reason(most))
                            .flag("later", later)
                            .flag("matters", matters)
                            .flag("longest", &most == &steps.back()));
  if (!later) return;
  const Pair* raised = largest(steps, &Pair::change);
  const bool told = raised == &most || raised == &shortest || raised->change() < kSame;
  const std::string reason = stays(shortest) ? stay_reason(shortest) : change_reason(shortest);
  facts.when("shortest",
             directed(shortest, reason)
                 .when("raised", told ? std::nullopt : std::optional(changed(*raised))));
}

bool refused(const Profile& profile) {
  const Step* step = profile.asked(Mode::kTrainStep);
  return step != nullptr && step->launch != nullptr && does_not_fit(step->launch->outcome);
}

/// Contexts whose training step fits in the reduced precision alone, and those where it fits in
/// none.
void set_fits(Facts& facts, const Pairs& pairs) {
  std::vector<std::string> more, neither;
  for (const Pair& pair : pairs) {
    if (pair.mode != Mode::kTrainStep || !refused(*pair.own)) continue;
    const std::string context = format_count(pair.own->context());
    if (pair.reduced->ran(pair.mode) != nullptr) more.push_back(context);
    if (refused(*pair.reduced)) neither.push_back(context);
  }
  facts.when("fits_more", !more.empty(), "contexts", join_words(more));
  facts.when("fits_neither", !neither.empty(), "contexts", join_words(neither));
}

std::string reason(const Pair& pair) {
  std::vector<std::string> reasons;
  for (const Profile* profile : {pair.own, pair.reduced}) {
    const std::string missing = profile->asked(pair.mode)->missing();
    if (!missing.empty()) reasons.push_back(profile->precision() + ": " + missing);
  }
  return join(reasons, "; ");
}

Dataset both_precisions(const Pairs& pairs, const std::string& own, const std::string& reduced) {
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
      {"context", "Context", [](const Pair& pair) { return pair.own->context(); }, "", kNamed},
      {"step", "Step", [](const Pair& pair) { return mode_words(pair.mode); }},
      peak("own", own, &Pair::own),
      peak("reduced", reduced, &Pair::reduced),
      {"ratio", "Ratio", ratio, "×", {Notation::kFixed, 2}}};
  return make_dataset("precisions", columns, pairs);
}

}  // namespace

PartContent present_precisions(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Pairs pairs = pairs_of(profiles, answered(profiles));
  const std::string own = answered(profiles).front()->precision();
  const std::string other(describe(reduced(profiles).value_or(Precision::kBf16)));
  part.facts.set("own", own).set("reduced", other);
  part.facts.flag("alone", pairs.empty());
  part.facts.flag("none_in_both", !pairs.empty() && std::ranges::none_of(pairs, &Pair::both_ran));
  Pairs forwards = of_mode(pairs, Mode::kInference);
  if (forwards.empty()) forwards = of_mode(pairs, Mode::kForward);
  const Pairs full = pairs_of(profiles, asked_in_full(answered(profiles)));
  set_steps(part.facts, of_mode(full, Mode::kTrainStep));
  part.facts.when("inference",
                  forwards.empty() ? std::nullopt : std::optional(changed(forwards.back())));
  set_fits(part.facts, pairs);
  part.datasets = {both_precisions(pairs, own, other)};
  add_peaks_figure(part, view, profiles);
  return part;
}

}  // namespace labreport::memory_profiling
