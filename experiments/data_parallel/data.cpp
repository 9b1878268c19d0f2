// Parts (a) to (c): one all-reduce a parameter, one of all, and each as soon as it can begin.
#include "experiments/data_parallel/lanes.h"
#include "experiments/data_parallel/parts.h"
#include "experiments/data_parallel/present.h"
#include "experiments/data_parallel/tables.h"

#include "base/format.h"

namespace labreport::data_parallel {
namespace {

// So little of communication is hidden that nothing to speak of is computed beside it.
constexpr double kUnhidden = 0.05;
// Backward that takes so much longer is stretched.
constexpr double kStretched = 0.02;
// What latency explains of a difference at least, and at most.
constexpr double kExplainsLeast = 0.5, kExplainsMost = 2;

using Wanted = std::initializer_list<Scheme>;

PartContent part_of(const RunView& view, const std::vector<Network>& networks, Wanted wanted,
                    Scheme own) {
  PartContent part;
  part.facts.list("missing", missing(networks, wanted));
  add_conditions(part.facts, view, networks);
  part.datasets = lanes_of(networks, {own});
  part.datasets.push_back(schemes_dataset(networks, wanted));
  part.datasets.push_back(ranks_dataset(networks, wanted));
  add_cells(part, view, networks, wanted);
  return part;
}

std::optional<Facts> equality(const Trained& trained) {
  if (!trained.off) return std::nullopt;
  Facts facts;
  facts.set("difference", format_scientific(*trained.off, 2));
  facts.set("tolerance", format_scientific(trained.tolerance.value_or(0), 1));
  facts.flag("together", trained.apart == 0.0);
  facts.when("apart", trained.apart.value_or(0) > 0, "count",
             format_count(static_cast<std::int64_t>(trained.apart.value_or(0))));
  return facts;
}

std::optional<Facts> hidden(const Trained& trained) {
  if (!trained.hidden_share()) return std::nullopt;
  Facts facts;
  facts.set("communication", ms_words(*trained.communication_ms));
  facts.set("exposed", ms_words(*trained.exposed_ms()));
  facts.set("hidden", format_percent(*trained.hidden_share()));
  return facts;
}

std::optional<Facts> naive_times(const Network& network) {
  const Trained* naive = network.ran(Scheme::kPerParameter);
  const Trained* none = network.ran(Scheme::kNone);
  if (naive == nullptr) return std::nullopt;
  const auto added = network.added_ms(*naive);
  const bool longer = differ(naive, none).value_or(false) && *added > 0;
  Facts facts;
  facts.set("step", ms_words(*naive->step_ms()));
  facts.set("calls", format_count(static_cast<std::int64_t>(naive->calls.value_or(0))));
  facts.set("bytes", megabytes(network.total_bytes()));
  facts.set("none", none == nullptr ? "" : ms_words(*none->step_ms()));
  facts.when("longer", longer,
             longer ? Facts()
                          .set("added", ms_words(*added))
                          .set("share", format_percent(*added / *naive->step_ms()))
                    : Facts());
  facts.flag("no_longer", none != nullptr && !longer);
  const bool explained = longer && naive->exposed_ms() &&
                         *naive->exposed_ms() >= kExplainsLeast * *added &&
                         *naive->exposed_ms() <= kExplainsMost * *added;
  const bool alone = explained && naive->hidden_share().value_or(1) < kUnhidden;
  facts.when("alone", alone ? hidden(*naive) : std::nullopt);
  facts.when("skew", naive->skew_ms.has_value(), "ms", ms_words(naive->skew_ms.value_or(0)));
  return facts;
}

/// Latencies that fewer all-reduces spare, beside what their bytes take.
std::optional<Facts> latencies(const Network& network, double fewer) {
  const auto model = network.model();
  if (!model) return std::nullopt;
  Facts facts;
  facts.set("fewer", format_count(static_cast<std::int64_t>(fewer)));
  facts.set("alpha", format_significant(model->alpha * 1e6, 3));
  facts.set("latency", ms_words(fewer * model->alpha * 1e3));
  facts.set("bytes_ms", ms_words(model->total / model->beta * 1e3));
  return facts;
}

std::optional<Facts> flat_times(const Network& network) {
  const Trained* flat = network.ran(Scheme::kFlat);
  const Trained* naive = network.ran(Scheme::kPerParameter);
  if (flat == nullptr) return std::nullopt;
  Facts facts;
  facts.set("step", ms_words(*flat->step_ms())).set("bytes", megabytes(network.total_bytes()));
  const auto apart = differ(flat, naive);
  const double saved = apart ? *naive->step_ms() - *flat->step_ms() : 0;
  const double fewer = apart ? naive->calls.value_or(1) - 1 : 0;
  facts.set("naive", apart ? ms_words(*naive->step_ms()) : "");
  facts.set("calls", format_count(static_cast<std::int64_t>(fewer + 1)));
  facts.set("saved", ms_words(std::abs(saved)));
  facts.flag("faster", apart == true && saved > 0).flag("slower", apart == true && saved <= 0);
  facts.flag("alike", apart == false);
  const auto spared = latencies(network, fewer);
  const double explained = network.model() ? fewer * network.model()->alpha * 1e3 / saved : 0;
  const bool enough = explained >= kExplainsLeast && explained <= kExplainsMost;
  facts.when("because", spared && apart == true && saved > 0 && enough ? spared : std::nullopt);
  facts.when("arithmetic", spared && apart && !enough ? spared : std::nullopt);
  return facts;
}

std::vector<Facts> held_against(const Network& network, const Trained& trained, Wanted others) {
  std::vector<Facts> all;
  for (const Scheme scheme : others) {
    const Trained* other = network.ran(scheme);
    const auto apart = differ(&trained, other);
    if (!apart) continue;
    Facts& facts = all.emplace_back();
    facts.set("other", other->words()).set("ms", ms_words(*other->step_ms()));
    facts.set("ratio", format_ratio(*other->step_ms() / *trained.step_ms()));
    facts.flag("apart", *apart);
  }
  return all;
}

std::optional<Facts> stretched(const Network& network, const Trained& trained) {
  const auto share = network.stretch(trained);
  if (!share || *share < kStretched) return std::nullopt;
  return Facts()
      .set("stretch", format_percent(*share))
      .set("backward", ms_words(*trained.backward_ms))
      .set("plain", ms_words(*network.ran(Scheme::kNone)->backward_ms));
}

std::optional<Facts> overlap_times(const Network& network) {
  const Trained* trained = network.ran(Scheme::kOverlapped);
  if (trained == nullptr) return std::nullopt;
  Facts facts;
  facts.set("step", ms_words(*trained->step_ms()));
  facts.list("others", held_against(network, *trained, {Scheme::kPerParameter, Scheme::kFlat}));
  facts.when("hides", hidden(*trained));
  facts.when("stretched", stretched(network, *trained));
  return facts;
}

/// One entry a network: its words, whether it trains alike, its times.
template <typename Times>
void add_networks(PartContent& part, const std::vector<Network>& networks, Scheme scheme,
                  const Times& times) {
  std::vector<Facts> all;
  bool any = false;
  for (const Network& network : networks) {
    const Trained* trained = network.find(scheme);
    if (trained == nullptr) continue;
    const auto timed = times(network);
    any = any || timed.has_value();
    Facts& facts = all.emplace_back();
    facts.set("words", network.words);
    facts.when("equal", equality(*trained)).when("times", timed);
  }
  part.facts.list("networks", std::move(all)).flag("nothing", !any);
}

bool has(const std::vector<Network>& networks, Scheme scheme) {
  for (const Network& network : networks) {
    if (network.find(scheme) != nullptr) return true;
  }
  return false;
}

}  // namespace

PartContent present_naive(const RunView& view, const std::vector<Network>& networks) {
  PartContent part =
      part_of(view, networks, {Scheme::kNone, Scheme::kPerParameter}, Scheme::kPerParameter);
  add_networks(part, networks, Scheme::kPerParameter, naive_times);
  return part;
}

PartContent present_flat(const RunView& view, const std::vector<Network>& networks) {
  PartContent part =
      part_of(view, networks, {Scheme::kNone, Scheme::kPerParameter, Scheme::kFlat}, Scheme::kFlat);
  add_networks(part, networks, Scheme::kFlat, flat_times);
  return part;
}

PartContent present_overlap(const RunView& view, const std::vector<Network>& networks) {
  PartContent part = part_of(
      view, networks, {Scheme::kNone, Scheme::kPerParameter, Scheme::kFlat, Scheme::kOverlapped},
      Scheme::kOverlapped);
  add_networks(part, networks, Scheme::kOverlapped, overlap_times);
  return part;
}

Presentation present(const RunView& view) {
  const std::vector<Network> networks = networks_of(view);
  Presentation parts;
  if (has(networks, Scheme::kPerParameter)) parts["a"] = present_naive(view, networks);
  if (has(networks, Scheme::kFlat)) parts["b"] = present_flat(view, networks);
  if (has(networks, Scheme::kOverlapped)) parts["c"] = present_overlap(view, networks);
  if (has(networks, Scheme::kBucketed)) parts["d"] = present_buckets(view, networks);
  return parts;
}

}  // namespace labreport::data_parallel
