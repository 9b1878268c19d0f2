// Parts (a) to (c): one all-reduce a parameter, one of all, and each as soon as it can begin.
#include <algorithm>

#include "base/format.h"
#include "experiments/data_parallel/lanes.h"
#include "experiments/data_parallel/parts.h"
#include "experiments/data_parallel/tables.h"
#include "experiments/problems.h"

namespace labreport::data_parallel {
namespace {

constexpr double kCounts = 0.05;  // Parts of a difference below this share are not mentioned.

using Wanted = std::initializer_list<Scheme>;

std::optional<Facts> equality(const Trained& trained) {
  if (!trained.off || trained.apart != 0.0) return std::nullopt;
  return Facts().set("difference", format_scientific(*trained.off, 2));
}

/// Absent if a step with communication is faster than the one without, which something disturbed.
std::optional<Facts> communication(const Network& network, const Trained& trained) {
  const Trained* none = network.ran(Scheme::kNone);
  if (!differ(&trained, none).value_or(false)) return std::nullopt;
  for (const Trained& other : network.schemes) {
    const auto apart = differ(&other, none);
    if (apart == true && *other.step_ms() < *none->step_ms()) return std::nullopt;
  }
  const double added = *network.added_ms(trained);
  return Facts().set("ms", added, kThree).set("share", format_percent(added / *trained.step_ms()));
}

Facts naive_facts(const Network& network, const Trained& naive) {
  const auto added = communication(network, naive);
  const auto hidden = naive.hidden_share();
  const std::string share = format_percent(hidden.value_or(0));
  return Facts()
      .flag("apart", naive.apart.value_or(0) > 0)
      .when("equal", equality(naive))
      .when("added", added)
      .flag("unclear", !added)
      .when("traced", hidden.has_value(),
            Facts()
                .set("calls", format_count(static_cast<std::int64_t>(naive.calls)))
                .set("ms", naive.communication_ms.value_or(0), kThree)
                .set("beside", share == "0.0" ? "none" : share + "\u00a0%"));
}

/// The traced all-reduces of both, and what the exchange takes beside its one all-reduce.
std::optional<Facts> traced(const Trained& flat, const Trained& naive) {
  if (!naive.communication_ms || !flat.communication_ms) return std::nullopt;
  const double saved = *naive.communication_ms - *flat.communication_ms;
  const double copies = flat.exchange_ms.value_or(0) - *flat.communication_ms;
  return Facts()
      .set("one", *flat.communication_ms, kThree)
      .set("many", *naive.communication_ms, kThree)
      .when("copies", copies > kCounts * std::abs(saved), Facts().set("of", copies, kThree));
}

Facts flat_facts(const Network& network, const Trained& flat) {
  const Trained* naive = network.ran(Scheme::kPerParameter);
  const auto apart = differ(&flat, naive);
  const double saved = apart ? *naive->step_ms() - *flat.step_ms() : 0;
  return Facts()
      .set("saved", std::abs(saved), kThree)
      .set("calls", naive ? format_count(static_cast<std::int64_t>(naive->calls)) : "")
      .flag("faster", apart == true && saved > 0)
      .flag("slower", apart == true && saved < 0)
      .flag("alike", apart == false)
      .when("traced", apart ? traced(flat, *naive) : std::nullopt);
}

Facts overlap_facts(const Network& network, const Trained& overlapped) {
  const Trained* naive = network.ran(Scheme::kPerParameter);
  const Trained* flat = network.ran(Scheme::kFlat);
  const Trained* none = network.ran(Scheme::kNone);
  const bool both = naive != nullptr && flat != nullptr;
  const bool timed = none != nullptr && overlapped.backward_ms && none->backward_ms;
  const double longer = timed ? *overlapped.backward_ms - *none->backward_ms : 0;
  const double varies = timed ? overlapped.backward_deviation_ms + none->backward_deviation_ms : 0;
  const auto hidden = overlapped.hidden_share();
  return Facts()
      .when("others", both,
            both ? Facts()
                       .set("naive", *naive->step_ms(), kThree)
                       .set("flat", *flat->step_ms(), kThree)
                 : Facts())
      .when("added", communication(network, overlapped))
      .when("hides", hidden.has_value(), "share", format_percent(hidden.value_or(0)))
      .when("stretched", longer > varies, Facts().set("ms", longer, kThree));
}

bool has(const std::vector<Network>& networks, Scheme scheme) {
  return std::ranges::any_of(
      networks, [&](const Network& network) { return network.find(scheme) != nullptr; });
}

/// The last part that was measured draws the steps of all parts up to it below each other.
bool draws(const std::vector<Network>& networks, Scheme own) {
  using enum Scheme;
  return own == kOverlapped ||
         (!has(networks, kOverlapped) && (own == kFlat || !has(networks, kFlat)));
}

PartContent part_of(const RunView& view, const std::vector<Network>& networks, Wanted wanted,
                    const std::string& letter, Facts (*facts)(const Network&, const Trained&)) {
  const Scheme own = *(wanted.end() - 1);  // The part adds it to the schemes before.
  const Network* network = foremost(networks, own);
  PartContent part;
  part.facts.flag("nothing", network == nullptr);
  part.facts.when("one",
                  network ? std::optional(facts(*network, *network->ran(own))
                                              .set("network", network->words)
                                              .set("step", *network->ran(own)->step_ms(), kThree))
                          : std::nullopt);
  add_conditions(part.facts, view, networks);
  if (draws(networks, own)) part.datasets = lanes_of(networks, wanted);
  part.datasets.push_back(schemes_dataset(networks, wanted));
  part.datasets.push_back(ranks_dataset(networks, wanted));
  add_cells(part, view, networks, wanted, letter);
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
