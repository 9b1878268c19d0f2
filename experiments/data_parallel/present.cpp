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

/// The text omits the flat scheme's copies up to this share of the time saved on all-reduces.
constexpr double kMentioned = 0.05;

/// The time that communication adds to a step. Nothing if the deviations hide it, or if a scheme is
/// clearly faster than the step without communication, which then was disturbed.
std::optional<Facts> communication(const Network& network, const SchemeResult& result) {
  const SchemeResult* none = network.ran(Scheme::kNone);
  if (!differ(&result, none).value_or(false)) return std::nullopt;
  for (const SchemeResult& other : network.schemes) {
    if (differ(&other, none) == true && *other.step_ms() < *none->step_ms()) return std::nullopt;
  }
  const double added = *network.added_ms(result);
  return Facts().set("ms", added, kThree).set("share", format_percent(added / *result.step_ms()));
}

Facts naive_facts(const Network& network, const SchemeResult& naive) {
  const auto added = communication(network, naive);
  const auto hidden = naive.hidden_share();
  const std::string share = format_percent(hidden.value_or(0));
  const bool equal = naive.largest_error && naive.diverged_ranks == 0.0;
  return Facts()
      .flag("apart", naive.diverged_ranks.value_or(0) > 0)
      .when("equal", equal, "difference", equal ? format_scientific(*naive.largest_error, 2) : "")
      .when("added", added)
      .flag("unclear", !added)
      .when("traced", hidden.has_value(),
            Facts()
                .set("calls", format_count(static_cast<std::int64_t>(naive.calls)))
                .set("ms", naive.communication_ms.value_or(0), kThree)
                .set("beside", share == "0.0" ? "none" : share + "\u00a0%"));
}

/// The times of both schemes' traced all-reduces, and of copies: the rest of the flat exchange.
std::optional<Facts> traced(const SchemeResult& flat, const SchemeResult& naive) {
  if (!naive.communication_ms || !flat.communication_ms) return std::nullopt;
  const double saved = *naive.communication_ms - *flat.communication_ms;
  const double copies = flat.exchange_ms.value_or(0) - *flat.communication_ms;
  return Facts()
      .set("one", *flat.communication_ms, kThree)
      .set("many", *naive.communication_ms, kThree)
      .when("copies", copies > kMentioned * std::abs(saved), Facts().set("of", copies, kThree));
}

Facts flat_facts(const Network& network, const SchemeResult& flat) {
  const SchemeResult* naive = network.ran(Scheme::kPerParameter);
  const auto differs = differ(&flat, naive);
  const double saved = differs ? *naive->step_ms() - *flat.step_ms() : 0;
  return Facts()
      .set("saved", std::abs(saved), kThree)
      .set("calls", naive ? format_count(static_cast<std::int64_t>(naive->calls)) : "")
      .flag("faster", differs == true && saved > 0)
      .flag("slower", differs == true && saved < 0)
      .flag("alike", differs == false)
      .when("traced", differs ? traced(flat, *naive) : std::nullopt);
}

Facts overlap_facts(const Network& network, const SchemeResult& overlapped) {
  const SchemeResult* naive = network.ran(Scheme::kPerParameter);
  const SchemeResult* flat = network.ran(Scheme::kFlat);
  const SchemeResult* none = network.ran(Scheme::kNone);
  const bool both = naive != nullptr && flat != nullptr;
  const bool timed = none != nullptr && overlapped.backward_ms && none->backward_ms;
  const double longer = timed ? *overlapped.backward_ms - *none->backward_ms : 0;
  const double deviation =
      timed ? overlapped.backward_deviation_ms + none->backward_deviation_ms : 0;
  const auto hidden = overlapped.hidden_share();
  return Facts()
      .when("others", both,
            both ? Facts()
                       .set("naive", *naive->step_ms(), kThree)
                       .set("flat", *flat->step_ms(), kThree)
                 : Facts())
      .when("added", communication(network, overlapped))
      .when("hides", hidden.has_value(), "share", format_percent(hidden.value_or(0)))
      .when("stretched", longer > deviation, Facts().set("ms", longer, kThree));
}

bool has(const std::vector<Network>& networks, Scheme scheme) {
  return std::ranges::any_of(
      networks, [&](const Network& network) { return network.find(scheme) != nullptr; });
}

/// Presents the part about the last of `schemes`, compared with the others.
PartContent part_of(const RunView& view, const std::vector<Network>& networks,
                    std::initializer_list<Scheme> schemes, const std::string& letter,
                    Facts (*facts)(const Network&, const SchemeResult&)) {
  using enum Scheme;
  const Scheme subject = *(schemes.end() - 1);
  PartContent part;
  std::optional<Facts> answer;
  if (const Network* network = largest_network(networks, subject)) {
    const SchemeResult& result = *network->ran(subject);
    answer = facts(*network, result)
                 .set("network", network->words)
                 .set("step", *result.step_ms(), kThree);
  }
  part.facts.flag("nothing", !answer).when("one", answer);
  add_conditions(part.facts, view, networks);
  // Only the last measured part of (a) to (c) draws lanes, for its own and all earlier schemes.
  const bool last = subject == kOverlapped ||
                    (!has(networks, kOverlapped) && (subject == kFlat || !has(networks, kFlat)));
  if (last) part.datasets = lanes_of(networks, schemes);
  part.datasets.push_back(schemes_dataset(networks, schemes));
  part.datasets.push_back(ranks_dataset(networks, schemes));
  add_cells(part, view, networks, schemes, letter);
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  using enum Scheme;
  const std::vector<Network> networks = networks_of(view);
  Presentation parts;
  if (has(networks, kPerParameter))
    parts["a"] = part_of(view, networks, {kNone, kPerParameter}, "a", naive_facts);
  if (has(networks, kFlat))
    parts["b"] = part_of(view, networks, {kNone, kPerParameter, kFlat}, "b", flat_facts);
  if (has(networks, kOverlapped))
    parts["c"] =
        part_of(view, networks, {kNone, kPerParameter, kFlat, kOverlapped}, "c", overlap_facts);
  if (has(networks, kBucketed)) parts["d"] = present_buckets(view, networks);
  return parts;
}

}  // namespace labreport::data_parallel
