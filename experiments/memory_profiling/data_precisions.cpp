// Part (c): the same peaks under mixed precision, what changes in them, and whether it matters.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/arithmetic.h"
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
  double category(const Profile* profile, std::string_view name) const {
    return profile->ran(mode)->bytes(metric::kCategory, name).value_or(0);
  }
  double held(const Profile* profile) const {
    return category(profile, metric::kParameters) + category(profile, metric::kGradients) +
           category(profile, metric::kOptimizerStates);
  }
};

using Pairs = std::vector<Pair>;

/// By rising context, of each the modes that both were asked for.
Pairs pairs_of(const std::vector<Profile>& profiles) {
  Pairs pairs;
  const Precision other = reduced(profiles).value_or(Precision::kFp32);
  for (const Profile* first : answered(profiles)) {
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
  Pairs found;
  std::ranges::copy_if(pairs, std::back_inserter(found),
                       [mode](const Pair& pair) { return pair.mode == mode && pair.both_ran(); });
  return found;
}

std::string noun(const Category& category) {
  return category.name == metric::kTemporary ? "temporaries" : std::string(category.words);
}

/// "8.95 GiB less for activations and 6.09 GiB more for weight copies"; empty where they do not add
/// up to the change.
std::string parts_of(const Pair& pair) {
  std::vector<std::pair<double, std::string>> parts;
  double sum = 0;
  for (const Category& category : categories()) {
    const double change =
        pair.category(pair.reduced, category.name) - pair.category(pair.own, category.name);
    sum += change;
    if (std::abs(change) < kWorthAWord * pair.from()) continue;
    parts.emplace_back(std::abs(change), format_bytes(std::abs(change)) +
                                             (change < 0 ? " less for " : " more for ") +
                                             noun(category));
  }
  if (!(std::abs(sum - (pair.to() - pair.from())) < kMatters * pair.from())) return "";
  std::ranges::stable_sort(parts, std::greater(), &std::pair<double, std::string>::first);
  std::vector<std::string> words;
  for (auto& [bytes, text] : parts) words.push_back(std::move(text));
  return join_words(words);
}

Facts values_of(const Pair& pair) {
  Facts values;
  values.set("step", mode_words(pair.mode));
  values.set("context", format_count(pair.own->context()));
  values.set("from", format_bytes(pair.from()));
  values.set("to", format_bytes(pair.to()));
  values.set("share", (pair.change() < 0 ? "−" : "+") + format_percent(std::abs(pair.change())));
  const auto resident = resident_bytes(pair.own->ran(pair.mode)->spec());
  values.set("held", format_bytes(resident ? static_cast<double>(*resident) : pair.held(pair.own)));
  const std::string parts = parts_of(pair);
  values.when("explained", !parts.empty(), "parts", parts);
  values.flag("unexplained", parts.empty() && std::abs(pair.change()) >= kSame);
  return values;
}

/// Whether it matters, by the training step that changes most; and the step at the shortest
/// context, where it is another.
void set_steps(Facts& facts, const Pairs& steps) {
  facts.when("verdict", std::nullopt);
  facts.when("shortest", std::nullopt);
  if (steps.empty()) return;
  const auto size = [](const Pair& pair) { return std::abs(pair.change()); };
  const auto most = std::ranges::max_element(steps, {}, size);
  Facts verdict = values_of(*most);
  verdict.flag("hardly", size(*most) < kMatters);
  verdict.flag("saves", size(*most) >= kMatters && most->change() < 0);
  verdict.flag("costs", size(*most) >= kMatters && most->change() > 0);
  facts.when("verdict", verdict);
  const Pair& first = steps.front();
  if (most == steps.begin()) return;
  Facts shortest = values_of(first);
  shortest.flag("stays",
                size(first) < kMatters && first.held(first.own) > kMost * first.from() &&
                    std::abs(first.held(first.reduced) / first.held(first.own) - 1) < kSame);
  facts.when("shortest", shortest);
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
  const auto peak = [unit](const Profile* Pair::* side) {
    return [=](const Pair& pair) {
      const auto bytes = (pair.*side)->peak(pair.mode);
      return bytes ? in_unit(bytes, unit) : Value::missing(reason(pair));
    };
  };
  const auto ratio = [](const Pair& pair) {
    return pair.both_ran() && pair.from() > 0 ? Value(pair.to() / pair.from()) : Value();
  };
  const Notation notation{Notation::kFixed, unit.decimals};
  const std::vector<Column<Pair>> columns{
      {"context", "Context", [](const Pair& pair) { return format_count(pair.own->context()); }},
      {"step", "Step", [](const Pair& pair) { return mode_words(pair.mode); }},
      {"own", own, peak(&Pair::own), unit.name, notation},
      {"reduced", reduced, peak(&Pair::reduced), unit.name, notation},
      {"ratio", "Ratio", ratio, "×", {Notation::kFixed, 2}}};
  return make_dataset("precisions", columns, pairs);
}

}  // namespace

PartContent present_precisions(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Pairs pairs = pairs_of(profiles);
  const std::string own = answered(profiles).front()->precision();
  const std::string other(describe(reduced(profiles).value_or(Precision::kBf16)));
  part.facts.set("own", own);
  part.facts.set("reduced", other);
  part.facts.flag("alone", pairs.empty());
  part.facts.flag("none_in_both", !pairs.empty() && std::ranges::none_of(pairs, &Pair::both_ran));
  Pairs forwards = of_mode(pairs, Mode::kInference);
  if (forwards.empty()) forwards = of_mode(pairs, Mode::kForward);
  std::vector<Facts> compared;
  for (const Pair& pair : pairs) {
    if (pair.both_ran()) compared.push_back(values_of(pair));
  }
  part.facts.list("compared", std::move(compared));
  set_steps(part.facts, of_mode(pairs, Mode::kTrainStep));
  part.facts.when("inference",
                  forwards.empty() ? std::nullopt : std::optional(values_of(forwards.back())));
  set_fits(part.facts, pairs);
  part.datasets = {both_precisions(pairs, own, other)};
  add_peaks_figure(part, view, profiles);
  return part;
}

}  // namespace labreport::memory_profiling
