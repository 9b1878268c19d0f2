// Part (c): the same peaks under autocast, and whether it matters.
#include <cmath>
#include <ranges>

#include "base/format.h"
#include "base/text.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/precision_pairs.h"
#include "experiments/memory_profiling/timeline.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kMatters = 0.05;  // Of the full step's peak.
constexpr double kSame = 0.001;

/// The longest context at which the fullest mode ran in both.
std::optional<Pair> spoken_of(const std::vector<Pair>& pairs) {
  for (const Mode mode : kModes | std::views::reverse) {
    for (const Pair& pair : pairs | std::views::reverse) {
      if (pair.both_ran(mode)) return pair;
    }
  }
  return std::nullopt;
}

/// "raises the inference peak from 13.44 GiB to 19.75 GiB", as flags and numbers.
void set_change(Facts& facts, const std::string& prefix, const std::optional<Pair>& pair,
                Mode mode) {
  const bool known = pair && pair->both_ran(mode);
  const double from = known ? pair->own->peak(mode).value_or(0) : 0;
  const double to = known ? pair->reduced->peak(mode).value_or(0) : 0;
  const double share = from > 0 ? to / from - 1 : 0;
  facts.flag(prefix, known);
  facts.flag(prefix + "_rises", known && share > kSame);
  facts.flag(prefix + "_falls", known && share < -kSame);
  facts.flag(prefix + "_changes", known && std::abs(share) > kSame);
  facts.set(prefix + "_from", format_bytes(from));
  facts.set(prefix + "_to", format_bytes(to));
  facts.set(prefix + "_share", format_percent(std::abs(share)));
}

/// At the end of a phase in both; nothing where either was not recorded.
std::optional<std::pair<Instant, Instant>> ends_of(const Pair& pair, Mode mode,
                                                   std::string_view phase) {
  if (!pair.both_ran(mode)) return std::nullopt;
  const Timeline own = timeline_of(*pair.own->ran(mode)->launch);
  const Timeline other = timeline_of(*pair.reduced->ran(mode)->launch);
  const Instant* first = own.end_of(phase);
  const Instant* second = other.end_of(phase);
  if (first == nullptr || second == nullptr) return std::nullopt;
  return std::pair(*first, *second);
}

double held(const Instant& instant) {
  return instant.of(metric::kParameters) + instant.of(metric::kGradients) +
         instant.of(metric::kOptimizerStates);
}

void set_reasons(Facts& facts, const std::optional<Pair>& pair) {
  const Step* inference = pair ? pair->reduced->ran(Mode::kInference) : nullptr;
  const double copies =
      inference == nullptr ? 0
                           : inference->bytes(metric::kCategory, metric::kWeightCopies).value_or(0);
  facts.flag("copies", copies > 0);
  facts.set("copies_bytes", format_bytes(copies));
  auto kept = pair ? ends_of(*pair, Mode::kForward, metric::kForward) : std::nullopt;
  if (pair && !kept) kept = ends_of(*pair, Mode::kTrainStep, metric::kLoss);
  const double own = kept ? kept->first.of(metric::kActivations) : 0;
  const double other = kept ? kept->second.of(metric::kActivations) : 0;
  facts.flag("activations", own > 0 && std::abs(other / own - 1) > kSame);
  facts.flag("shrink", other < own);
  const bool forward = pair && pair->both_ran(Mode::kForward);
  const double from = forward ? pair->own->peak(Mode::kForward).value_or(0) : 0;
  const double to = forward ? pair->reduced->peak(Mode::kForward).value_or(0) : 0;
  facts.flag("explained", (other < own) == (to < from));
  facts.set("activations_from", format_bytes(own));
  facts.set("activations_to", format_bytes(other));
  const auto after = pair ? ends_of(*pair, Mode::kTrainStep, metric::kBackward) : std::nullopt;
  const bool stays = after && std::abs(held(after->second) / held(after->first) - 1) < kSame;
  facts.flag("stays", stays);
  facts.set("stays_bytes", format_bytes(stays ? held(after->second) : 0));
}

void set_verdict(Facts& facts, const std::optional<Pair>& pair, const std::vector<Pair>& pairs) {
  const bool step = pair && pair->both_ran(Mode::kTrainStep);
  const double change =
      step ? *pair->reduced->peak(Mode::kTrainStep) / *pair->own->peak(Mode::kTrainStep) - 1 : 0;
  std::vector<std::string> more;
  for (const Pair& other : pairs) {
    const Step* refused = other.own->asked(Mode::kTrainStep);
    const bool only = refused != nullptr && refused->launch != nullptr &&
                      does_not_fit(refused->launch->outcome) &&
                      other.reduced->ran(Mode::kTrainStep) != nullptr;
    if (only) more.push_back(format_count(other.own->context()));
  }
  facts.flag("matters", std::abs(change) >= kMatters || !more.empty());
  facts.flag("fits_more", !more.empty());
  facts.set("more", join_words(more));
}

}  // namespace

PartContent present_precisions(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const std::vector<Pair> pairs = pairs_of(profiles);
  const auto pair = spoken_of(pairs);
  const PairNames names{
      std::string(describe(answered(profiles).front()->spec.precision.value_or(Precision::kFp32))),
      std::string(describe(reduced(profiles).value_or(Precision::kBf16)))};
  part.facts.flag("nothing", !pair);
  part.facts.flag("alone", pairs.empty());
  part.facts.flag("answer", pair.has_value());
  part.facts.set("context", pair ? format_count(pair->own->context()) : "");
  part.facts.set("own", names.own);
  part.facts.set("reduced", names.reduced);
  set_change(part.facts, "inference", pair, Mode::kInference);
  set_change(part.facts, "forward", pair, Mode::kForward);
  set_change(part.facts, "step", pair, Mode::kTrainStep);
  set_reasons(part.facts, pair);
  set_verdict(part.facts, pair, pairs);
  if (pair) part.figures = {precisions_figure(view, pairs, names)};
  part.tables = {changes_table(pairs, names)};
  if (pair) part.drawer.tables = {categories_table(*pair, names)};
  return part;
}

}  // namespace labreport::memory_profiling
