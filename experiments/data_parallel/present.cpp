// Presents parts (a) to (c): an all-reduce for each parameter after backward, one for all gradients
// together, and one for each parameter during backward.
#include <algorithm>

#include "base/format.h"
#include "experiments/data_parallel/buckets.h"
#include "experiments/data_parallel/lanes.h"
#include "experiments/data_parallel/scheme_tables.h"
#include "experiments/problems.h"

namespace labreport::data_parallel {
namespace {

/// Tells how much time communication adds to a step; nothing if the deviations hide it, or if some
/// scheme is clearly faster than the step without communication, which then was disturbed.
std::optional<Facts> communication_facts(const MeasuredNetwork& network,
                                         const SchemeResult& result) {
  const SchemeResult* baseline = network.find_timed(Scheme::kNone);
  if (!steps_differ(&result, baseline).value_or(false)) return std::nullopt;
  for (const SchemeResult& other : network.schemes) {
    if (steps_differ(&other, baseline) == true && *other.step_ms() < *baseline->step_ms())
      return std::nullopt;
  }
  const double added_ms = *network.added_ms(result);
  const std::string percent = format_percent(added_ms / *result.step_ms());
  return Facts().set("ms", added_ms, kThreeDigits).set("share", percent);
}

Facts naive_facts(const MeasuredNetwork& network, const SchemeResult& naive) {
  const auto added = communication_facts(network, naive);
  const auto hidden = naive.hidden_fraction();
  const std::string percent = format_percent(hidden.value_or(0));
  const bool ranks_agree = naive.largest_relative_error && naive.diverged_ranks == 0.0;
  return Facts()
      .flag("apart", naive.diverged_ranks.value_or(0) > 0)
      .when("equal", ranks_agree, "difference",
            ranks_agree ? format_scientific(*naive.largest_relative_error, 2) : "")
      .when("added", added)
      .flag("unclear", !added)
      .when("traced", hidden.has_value(),
            Facts()
                .set("calls", format_count(static_cast<std::int64_t>(naive.all_reduce_count)))
                .set("ms", naive.communication_ms.value_or(0), kThreeDigits)
                .set("beside", percent == "0.0" ? "none" : percent + "\u00a0%"));
}

/// Compares the traced all-reduces of both schemes, and gives the time of the flat scheme's copies.
std::optional<Facts> traced_facts(const SchemeResult& flat, const SchemeResult& naive) {
  if (!naive.communication_ms || !flat.communication_ms) return std::nullopt;
  return Facts()
      .set("one", *flat.communication_ms, kThreeDigits)
      .set("many", *naive.communication_ms, kThreeDigits)
      .when("copies", flat.copies_ms.has_value(),
            Facts().set("copies_ms", flat.copies_ms.value_or(0), kThreeDigits));
}

Facts flat_facts(const MeasuredNetwork& network, const SchemeResult& flat) {
  const SchemeResult* naive = network.find_timed(Scheme::kPerParameter);
  const auto differ = steps_differ(&flat, naive);
  const double saved_ms = differ ? *naive->step_ms() - *flat.step_ms() : 0;
  return Facts()
      .set("saved", std::abs(saved_ms), kThreeDigits)
      .set("calls", naive ? format_count(static_cast<std::int64_t>(naive->all_reduce_count)) : "")
      .flag("faster", differ == true && saved_ms > 0)
      .flag("slower", differ == true && saved_ms < 0)
      .flag("alike", differ == false)
      .when("traced", differ ? traced_facts(flat, *naive) : std::nullopt);
}

/// Tells what overlap saves of the time that all-reduces after backward add, and whether the rest
/// is contention. Returns nothing if the steps do not show that overlap saves time.
std::optional<Facts> savings_facts(const MeasuredNetwork& network, const SchemeResult& overlapped) {
  const SchemeResult* naive = network.find_timed(Scheme::kPerParameter);
  if (naive == nullptr || !communication_facts(network, *naive)) return std::nullopt;
  const double saved_ms = *naive->step_ms() - *overlapped.step_ms();
  if (!*steps_differ(naive, &overlapped) || saved_ms < 0) return std::nullopt;
  const double communication_ms = *network.added_ms(*naive);
  const auto contention_ms = network.contention_ms(overlapped);
  return Facts()
      .set("share", format_rough_percent(saved_ms / communication_ms))
      .set("of", communication_ms, kThreeDigits)
      .when("contention", contention_ms.has_value(),
            Facts().set("contention_ms", contention_ms.value_or(0), kThreeDigits));
}

Facts overlap_facts(const MeasuredNetwork& network, const SchemeResult& overlapped) {
  const SchemeResult* naive = network.find_timed(Scheme::kPerParameter);
  const SchemeResult* flat = network.find_timed(Scheme::kFlat);
  const bool both_timed = naive != nullptr && flat != nullptr;
  return Facts()
      .when("others", both_timed,
            both_timed ? Facts()
                             .set("naive", *naive->step_ms(), kThreeDigits)
                             .set("flat", *flat->step_ms(), kThreeDigits)
                       : Facts())
      .when("added", communication_facts(network, overlapped))
      .when("saves", savings_facts(network, overlapped));
}

bool is_planned(const MeasuredNetworks& networks, Scheme scheme) {
  return std::ranges::any_of(
      networks, [&](const MeasuredNetwork& network) { return network.find(scheme) != nullptr; });
}

/// Presents the part about the last of `schemes`, compared with the others. `facts` returns the
/// sentences that only this part has.
PartContent scheme_part(const RunView& view, const MeasuredNetworks& networks,
                        std::initializer_list<Scheme> schemes, const std::string& letter,
                        Facts (*facts)(const MeasuredNetwork&, const SchemeResult&)) {
  using enum Scheme;
  const Scheme subject = *(schemes.end() - 1);
  PartContent part;
  std::optional<Facts> answer;
  if (const MeasuredNetwork* network = largest_network(networks, subject)) {
    const SchemeResult& result = *network->find_timed(subject);
    answer = facts(*network, result)
                 .set("network", network->words)
                 .set("step", *result.step_ms(), kThreeDigits);
  }
  part.facts.flag("nothing", !answer).when("one", answer);
  add_conditions(part.facts, view, networks);
  // Only the last measured part of (a) to (c) draws lanes, for its own and all earlier schemes.
  const bool is_last =
      subject == kOverlapped ||
      (!is_planned(networks, kOverlapped) && (subject == kFlat || !is_planned(networks, kFlat)));
  if (is_last) part.datasets = lane_datasets(networks, schemes);
  part.datasets.push_back(schemes_dataset(networks, schemes));
  part.datasets.push_back(ranks_dataset(networks, schemes));
  add_cells(part, view, networks, schemes, letter);
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  using enum Scheme;
  const MeasuredNetworks networks = measured_networks(view);
  Presentation parts;
  if (is_planned(networks, kPerParameter))
    parts["a"] = scheme_part(view, networks, {kNone, kPerParameter}, "a", naive_facts);
  if (is_planned(networks, kFlat))
    parts["b"] = scheme_part(view, networks, {kNone, kPerParameter, kFlat}, "b", flat_facts);
  if (is_planned(networks, kOverlapped))
    parts["c"] =
        scheme_part(view, networks, {kNone, kPerParameter, kFlat, kOverlapped}, "c", overlap_facts);
  if (is_planned(networks, kBucketed)) parts["d"] = present_buckets(view, networks);
  return parts;
}

}  // namespace labreport::data_parallel
