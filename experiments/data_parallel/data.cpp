// Parts (a) to (c): one all-reduce a parameter, one of all, and each as soon as it can begin.
#include "experiments/data_parallel/lanes.h"
#include "experiments/data_parallel/parts.h"
#include "experiments/data_parallel/tables.h"
#include "experiments/problems.h"

#include "base/format.h"

namespace labreport::data_parallel {
namespace {

// So little of communication is hidden that nothing to speak of is computed beside it.
constexpr double kUnhidden = 0.05;
// Backward that takes so much longer is stretched.
constexpr double kStretched = 0.02;
// What latency explains of a difference at least, and at most.
constexpr double kExplainsLeast = 0.5, kExplainsMost = 2;
// What is less of a difference is not worth a word.
constexpr double kCounts = 0.05;

using Wanted = std::initializer_list<Scheme>;

PartContent part_of(const RunView& view, const std::vector<Network>& networks, Wanted wanted,
                    const std::string& letter) {
  const Scheme own = *(wanted.end() - 1);  // the one that the part adds to those before
  PartContent part;
  part.facts.list("missing", missing(networks, wanted));
  add_conditions(part.facts, view, networks);
  part.datasets = lanes_of(networks, {own});
  part.datasets.push_back(schemes_dataset(networks, wanted));
  part.datasets.push_back(ranks_dataset(networks, wanted));
  add_cells(part, view, networks, wanted, letter);
  return part;
}

std::optional<Facts> equality(const Trained& trained) {
  if (!trained.off) return std::nullopt;
  Facts facts;
  facts.set("difference", format_scientific(*trained.off, 2));
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

/// The fastest scheme that takes less than the step without communication, which does less: null
/// where there is none.
const Trained* undercuts(const Network& network) {
  const Trained* none = network.ran(Scheme::kNone);
  const Trained* fastest = nullptr;
  for (const Trained& trained : network.schemes) {
    if (!differ(&trained, none).value_or(false) || *trained.step_ms() > *none->step_ms()) continue;
    if (!fastest || *trained.step_ms() < *fastest->step_ms()) fastest = &trained;
  }
  return fastest;
}

/// Its traced step explains what communication added: nothing was computed meanwhile.
bool explained_alone(const Trained& naive, double added) {
  const double exposed = naive.exposed_ms().value_or(0);
  return exposed >= kExplainsLeast * added && exposed <= kExplainsMost * added &&
         naive.hidden_share().value_or(1) < kUnhidden;
}

/// Beside the step without communication: its share, or why these steps do not give one.
void set_share(Facts& facts, const Network& network, const Trained& trained) {
  const Trained* none = network.ran(Scheme::kNone);
  const auto apart = differ(&trained, none);
  const Trained* other = apart == true ? undercuts(network) : nullptr;
  const bool longer = apart == true && other == nullptr;
  facts.set("none", none == nullptr ? "" : step_words(*none));
  facts.flag("indistinct", apart == false);
  facts.when("undercut", other != nullptr,
             other ? Facts().set("other", other->words()).set("ms", step_words(*other)) : Facts());
  if (!longer) return void(facts.when("longer", std::nullopt));
  const double added = *network.added_ms(trained);
  facts.when("longer",
             Facts()
                 .set("added", format_value({added, deviation_of_difference(trained, *none)}))
                 .set("share", format_percent(added / *trained.step_ms()))
                 .when("alone", explained_alone(trained, added) ? hidden(trained) : std::nullopt));
}

std::optional<Facts> naive_times(const Network& network) {
  const Trained* naive = network.ran(Scheme::kPerParameter);
  if (naive == nullptr) return std::nullopt;
  Facts facts;
  facts.set("step", step_words(*naive));
  facts.set("calls", format_count(static_cast<std::int64_t>(naive->calls)));
  facts.set("bytes", megabytes(network.total_bytes()));
  set_share(facts, network, *naive);
  facts.when("skew", naive->skew_ms.has_value(), "of",
             difference_words(naive->skew_ms.value_or(0)));
  return facts;
}

/// Latencies that fewer all-reduces spare, beside what their bytes take.
std::optional<Facts> latencies(const Network& network, double fewer) {
  const auto model = network.model();
  if (!model) return std::nullopt;
  Facts facts;
  facts.set("fewer", format_count(static_cast<std::int64_t>(fewer)));
  facts.set("alpha", format_significant(model->alpha * 1e6, 3));
  facts.set("latency", difference_words(fewer * model->alpha * 1e3));
  facts.set("bytes_ms", difference_words(model->total / model->beta * 1e3));
  return facts;
}

/// How much of what was saved latencies explain.
void set_latencies(Facts& facts, const Network& network, double fewer, double saved) {
  const auto spared = latencies(network, fewer);
  const double explained = spared && saved > 0 ? fewer * network.model()->alpha * 1e3 / saved : 0;
  const bool enough = explained >= kExplainsLeast && explained <= kExplainsMost;
  facts.when("because", enough ? spared : std::nullopt);
  facts.when("arithmetic", !enough && fewer > 0 ? spared : std::nullopt);
  facts.flag("in_part", saved > 0 && explained < kExplainsLeast);
}

/// What was saved by traced communication, less what copying gradients into one tensor costs.
std::optional<Facts> traced_saving(const Trained& naive, const Trained& flat, double saved) {
  if (!naive.communication_ms || !flat.communication_ms || !flat.exchange_ms || saved <= 0) {
    return std::nullopt;
  }
  const double copies = std::max(0.0, *flat.exchange_ms - *flat.communication_ms);
  const double explained = *naive.communication_ms - *flat.communication_ms - copies;
  if (explained < kExplainsLeast * saved || explained > kExplainsMost * saved) return std::nullopt;
  Facts facts;
  facts.set("many", ms_words(*naive.communication_ms)).set("one", ms_words(*flat.communication_ms));
  facts.when("copies", copies > kCounts * saved, "of", difference_words(copies));
  return facts;
}

/// The peak that one tensor of all gradients costs, where it does.
std::optional<Facts> held_again(const Network& network, const Trained& naive, const Trained& flat) {
  if (!naive.peak_bytes || !flat.peak_bytes) return std::nullopt;
  const double more = *flat.peak_bytes - *naive.peak_bytes;
  if (more < kExplainsLeast * network.total_bytes()) return std::nullopt;
  return Facts()
      .set("peak", format_bytes(*flat.peak_bytes))
      .set("other", format_bytes(*naive.peak_bytes));
}

std::optional<Facts> flat_times(const Network& network) {
  const Trained* flat = network.ran(Scheme::kFlat);
  const Trained* naive = network.ran(Scheme::kPerParameter);
  if (flat == nullptr) return std::nullopt;
  Facts facts;
  facts.set("step", step_words(*flat)).set("bytes", megabytes(network.total_bytes()));
  const auto apart = differ(flat, naive);
  const double saved = apart ? *naive->step_ms() - *flat->step_ms() : 0;
  const double fewer = apart ? naive->calls - 1 : 0;
  facts.set("naive", apart ? step_words(*naive) : "");
  facts.set("calls", format_count(static_cast<std::int64_t>(fewer + 1)));
  facts.set("saved", difference_words(std::abs(saved)));
  facts.when("larger", apart ? held_again(network, *naive, *flat) : std::nullopt);
  facts.flag("faster", apart == true && saved > 0).flag("slower", apart == true && saved <= 0);
  facts.flag("alike", apart == false);
  const auto traced = apart == true ? traced_saving(*naive, *flat, saved) : std::nullopt;
  facts.when("traced", traced);
  set_latencies(facts, network, traced ? 0 : fewer, !traced && apart == true ? saved : 0);
  set_share(facts, network, *flat);
  return facts;
}

std::vector<Facts> held_against(const Network& network, const Trained& trained, Wanted others) {
  std::vector<Facts> all;
  for (const Scheme scheme : others) {
    const Trained* other = network.ran(scheme);
    const auto apart = differ(&trained, other);
    if (!apart) continue;
    Facts& facts = all.emplace_back();
    facts.set("other", other->words()).set("ms", step_words(*other));
    facts.set("ratio", format_ratio(*other->step_ms() / *trained.step_ms()));
    facts.flag("apart", *apart);
  }
  return all;
}

std::optional<Facts> stretched(const Network& network, const Trained& trained) {
  const auto share = network.stretch(trained);
  if (!share || *share < kStretched) return std::nullopt;
  const Trained& none = *network.ran(Scheme::kNone);
  const double deviations = trained.backward_deviation_ms + none.backward_deviation_ms;
  if (*trained.backward_ms - *none.backward_ms <= deviations) return std::nullopt;
  return Facts()
      .set("stretch", format_percent(*share))
      .set("backward", ms_words(*trained.backward_ms))
      .set("plain", ms_words(*none.backward_ms));
}

/// How much of what one all-reduce a parameter after backward adds is gone.
std::optional<Facts> saves(const Network& network, const Trained& trained) {
  const Trained* naive = network.ran(Scheme::kPerParameter);
  const Trained* none = network.ran(Scheme::kNone);
  if (!differ(naive, none).value_or(false) || !differ(&trained, naive).value_or(false)) {
    return std::nullopt;
  }
  const double added = *network.added_ms(*naive), left = *network.added_ms(trained);
  if (left <= 0 || left >= added) return std::nullopt;
  return Facts()
      .set("added", difference_words(added))
      .set("left", difference_words(left))
      .set("share", format_percent(1 - left / added));
}

std::optional<Facts> overlap_times(const Network& network) {
  const Trained* trained = network.ran(Scheme::kOverlapped);
  if (trained == nullptr) return std::nullopt;
  Facts facts;
  facts.set("step", step_words(*trained));
  facts.list("others", held_against(network, *trained, {Scheme::kPerParameter, Scheme::kFlat}));
  facts.when("saves", saves(network, *trained));
  facts.when("hides", hidden(*trained));
  const double tail = trained->exchange_ms.value_or(0);
  facts.when("tail", tail > 0, "of", difference_words(tail));
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
  PartContent part = part_of(view, networks, {Scheme::kNone, Scheme::kPerParameter}, "a");
  add_networks(part, networks, Scheme::kPerParameter, naive_times);
  return part;
}

PartContent present_flat(const RunView& view, const std::vector<Network>& networks) {
  PartContent part =
      part_of(view, networks, {Scheme::kNone, Scheme::kPerParameter, Scheme::kFlat}, "b");
  add_networks(part, networks, Scheme::kFlat, flat_times);
  return part;
}

PartContent present_overlap(const RunView& view, const std::vector<Network>& networks) {
  PartContent part =
      part_of(view, networks,
              {Scheme::kNone, Scheme::kPerParameter, Scheme::kFlat, Scheme::kOverlapped}, "c");
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
