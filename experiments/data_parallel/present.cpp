// Presents parts (a) to (c): an all-reduce for each parameter after backward, one for all gradients
// together, and one for each parameter during backward.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/common/code_name.h"
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
  const auto added_ms = network.added_ms(result);
  if (!added_ms || *added_ms <= 0) return std::nullopt;
  return Facts()
      .set("ms", *added_ms, kThreeDigits)
      .set("share", format_percent(*added_ms / *result.step_ms()))
      .set("calls", format_count(static_cast<std::int64_t>(result.all_reduce_count)));
}

std::optional<Facts> naive_facts(const MeasuredNetwork& network, const SchemeResult& naive) {
  const auto error = naive.largest_relative_error;
  const bool asks_of_users = network.find(Scheme::kOwnStep) != nullptr;
  return Facts()
      .when("equal", error.has_value() && !asks_of_users, "difference",
            format_scientific(error.value_or(0), 2))
      .when("added", communication_facts(network, naive));
}

/// Splits the difference of both steps into the traced all-reduces, with their bus bandwidths, and
/// copies. Returns nothing if these do not explain it.
std::optional<Facts> traced_facts(const MeasuredNetwork& network, const SchemeResult& flat,
                                  const SchemeResult& naive) {
  if (!naive.communication_ms || !flat.communication_ms || !flat.copies_ms) return std::nullopt;
  const double fewer_ms = *naive.communication_ms - *flat.communication_ms;
  const double saved_ms = *naive.step_ms() - *flat.step_ms();
  if (fewer_ms <= 0 || !explains(fewer_ms - *flat.copies_ms, saved_ms)) return std::nullopt;
  const double megabytes =
      bus_factor(network.spec.ranks->count) * network.total_gradient_bytes() / 1e6;
  return Facts()
      .set("fewer", fewer_ms, kThreeDigits)
      .set("copies", *flat.copies_ms, kThreeDigits)
      .set("one_rate", megabytes / *flat.communication_ms, kThreeDigits)
      .set("many_rate", megabytes / *naive.communication_ms, kThreeDigits);
}

std::optional<Facts> flat_facts(const MeasuredNetwork& network, const SchemeResult& flat) {
  const SchemeResult* naive = network.find_timed(Scheme::kPerParameter);
  if (naive == nullptr) return std::nullopt;
  const bool differ = *steps_differ(&flat, naive);
  return Facts()
      .set("naive", *naive->step_ms(), kThreeDigits)
      .flag("alike", !differ)
      .when("traced", differ ? traced_facts(network, flat, *naive) : std::nullopt);
}

/// Tells what overlap saves of the time that all-reduces after backward add. Returns nothing if the
/// steps do not show that overlap saves time.
std::optional<Facts> savings_facts(const MeasuredNetwork& network, const SchemeResult& overlapped,
                                   const SchemeResult& naive) {
  const auto saved = saved_fraction(network, overlapped);
  if (!communication_facts(network, naive) || !saved || *saved <= 0) return std::nullopt;
  return Facts().set("share", format_rough_percent(*saved));
}

Value step_or_dash(const SchemeResult* result) {
  return result == nullptr ? Value() : Value(result->step_ms());
}

/// Gives labreport's and PyTorch's steps of the same network, beside a container of the user's.
std::optional<Facts> beside_facts(const MeasuredNetwork& network, const SchemeResult& container) {
  const SchemeResult* labreports = network.find_timed(Scheme::kOverlapped);
  const SchemeResult* pytorchs = network.find_timed(Scheme::kReducer);
  if (&container == labreports || labreports == nullptr || pytorchs == nullptr) return std::nullopt;
  return Facts()
      .set("ms", *labreports->step_ms(), kThreeDigits)
      .set("pytorch", *pytorchs->step_ms(), kThreeDigits);
}

/// Tells how much of the time that all-reduces add to a step is contention: as kernels show, or at
/// least as much as phases show. Returns "" if neither does.
std::string words_on_contention(const MeasuredNetwork& network, const SchemeResult& overlapped) {
  const auto traced = network.traced_contention(overlapped);
  if (traced && overlapped.exposed_ms()) {
    return fmt::format("{} ms are contention: kernels beside all-reduces take {} % longer",
                       format_value(traced->longer_ms, kThreeDigits),
                       format_rough_percent(traced->stretch()));
  }
  const auto least_ms = network.least_contention_ms(overlapped);
  return least_ms ? fmt::format("at least {} ms are contention with backward",
                                format_value(*least_ms, kThreeDigits))
                  : "";
}

std::optional<Facts> overlap_facts(const MeasuredNetwork& network, const SchemeResult& overlapped) {
  const SchemeResult* naive = network.find_timed(Scheme::kPerParameter);
  const SchemeResult* flat = network.find_timed(Scheme::kFlat);
  const bool is_users = overlapped.scheme() == Scheme::kOwnStep;
  if (!is_users && (naive == nullptr || flat == nullptr)) return std::nullopt;
  const auto savings = naive ? savings_facts(network, overlapped, *naive) : std::nullopt;
  const std::string contention_words = words_on_contention(network, overlapped);
  const auto fraction = overlapped.overlapped_fraction();
  std::optional<Facts> contention;
  if (savings && !contention_words.empty())
    contention = Facts()
                     .set("words", contention_words)
                     .set("left", network.added_ms(overlapped), kThreeDigits)
                     .set("exposed", overlapped.exposed_ms(), kThreeDigits);
  return Facts()
      .set("code", code_name(overlapped.cell->spec))
      .set("naive", step_or_dash(naive), kThreeDigits)
      .set("flat", step_or_dash(flat), kThreeDigits)
      .when("beside", beside_facts(network, overlapped))
      .when("saves", savings)
      .when("contention", contention)
      .when("overlapped", fraction.has_value(),
            Facts()
                .set("share", format_percent(fraction.value_or(0)))
                .set("contention",
                     contention
                         ? "; of the " + format_value(*network.added_ms(overlapped), kThreeDigits) +
                               " ms that it adds " + contention_words
                         : ""));
}

bool is_planned(const MeasuredNetworks& networks, Scheme scheme) {
  return std::ranges::any_of(
      networks, [&](const MeasuredNetwork& network) { return network.find(scheme) != nullptr; });
}

/// Says whose schemes are labreport's, if the user's code stands beside them. The course has no
/// adapter for schemes without overlap, so labreport's answer in their place.
void add_owner(Facts& facts, bool has_users_code) {
  facts.set("a_step", has_users_code ? "With labreport's scheme a step" : "A step")
      .set("whose", has_users_code ? "labreport's " : "")
      .set("your_own", has_users_code ? "Your notes have to tell the numbers of your own." : "");
}

/// Presents the part about `subject`, compared with the others of `schemes`. `facts` returns the
/// answer's facts, or nothing if a scheme that it compares with has no times.
PartContent scheme_part(const RunView& view, const MeasuredNetworks& networks,
                        std::initializer_list<Scheme> schemes, Scheme subject,
                        const std::string& letter,
                        std::optional<Facts> (*facts)(const MeasuredNetwork&,
                                                      const SchemeResult&)) {
  using enum Scheme;
  PartContent part;
  std::optional<Facts> answer;
  if (const MeasuredNetwork* network = largest_network(networks, subject)) {
    const SchemeResult& result = *network->find_timed(subject);
    answer = facts(*network, result);
    if (answer) {
      answer->set("network", network->words).set("step", *result.step_ms(), kThreeDigits);
      add_owner(*answer, is_planned(networks, Scheme::kOwnStep));
    }
  }
  part.facts.when("one", answer);
  add_conditions(part.facts, view, networks);
  // Only the last measured part of (a) to (c) draws lanes, for its own and all earlier schemes.
  const bool is_last = letter == "c" || (!is_planned(networks, kOverlapped) &&
                                         (letter == "b" || !is_planned(networks, kFlat)));
  if (is_last) part.datasets = lane_datasets(networks, schemes);
  part.datasets.push_back(schemes_dataset(networks, schemes));
  part.datasets.push_back(ranks_dataset(networks, schemes));
  add_cells(part, view, networks, schemes, letter);
  return part;
}

std::optional<Facts> collective_facts(const SchemeResult& own) {
  const auto overlapped = own.overlapped_fraction();
  if (!overlapped || own.all_reduce_count == 0) return std::nullopt;
  return Facts()
      .set("kinds", own.collectives)
      .set("ms", *own.communication_ms, kThreeDigits)
      .set("overlapped", format_percent(*overlapped))
      .set("exposed", *own.exposed_ms(), kThreeDigits);
}

/// Returns each network with a step of the user's, and labreport's schemes for a network of that
/// size beside it.
MeasuredNetworks beside_own_steps(const MeasuredNetworks& networks) {
  MeasuredNetworks joined;
  for (const MeasuredNetwork& own : networks) {
    if (!own.is_of_own_step()) continue;
    joined.push_back(own);
    CellSpec labreports = own.spec;
    labreports.implementation.clear();
    for (const MeasuredNetwork& network : networks) {
      if (!same_setting(network.spec, labreports)) continue;
      std::ranges::copy(network.schemes, std::back_inserter(joined.back().schemes));
    }
  }
  return joined;
}

/// Names the fastest of labreport's schemes that average gradients.
std::optional<Facts> fastest_scheme_facts(const MeasuredNetwork& own) {
  const SchemeResult* fastest = nullptr;
  for (const SchemeResult& result : own.schemes) {
    const bool averages =
        result.step_ms() && result.scheme() != Scheme::kNone && result.scheme() != Scheme::kOwnStep;
    if (averages && (fastest == nullptr || *result.step_ms() < *fastest->step_ms()))
      fastest = &result;
  }
  if (fastest == nullptr) return std::nullopt;
  return Facts().set("scheme", fastest->words()).set("ms", *fastest->step_ms(), kThreeDigits);
}

constexpr std::initializer_list<Scheme> kBesideOwnStep{
    Scheme::kNone,     Scheme::kPerParameter, Scheme::kFlat,   Scheme::kOverlapped,
    Scheme::kBucketed, Scheme::kReducer,      Scheme::kOwnStep};

/// Presents a training step of the user's, with labreport's schemes beside it if they ran.
PartContent own_step_part(const RunView& view, const MeasuredNetworks& all) {
  using enum Scheme;
  const MeasuredNetworks networks = beside_own_steps(all);
  PartContent part;
  std::optional<Facts> answer;
  if (const MeasuredNetwork* network = largest_network(networks, kOwnStep)) {
    const SchemeResult& own = *network->find_timed(kOwnStep);
    answer = Facts()
                 .set("step_of", own.words())
                 .set("network", network->words)
                 .set("step", *own.step_ms(), kThreeDigits)
                 .flag("apart", own.ranks_differ)
                 .when("collectives", collective_facts(own))
                 .when("fastest", fastest_scheme_facts(*network));
  }
  part.facts.when("one", answer);
  add_conditions(part.facts, view, networks);
  part.datasets = lane_datasets(networks, {kOverlapped, kReducer, kOwnStep}, "own step");
  part.datasets.push_back(schemes_dataset(networks, kBesideOwnStep));
  part.datasets.push_back(ranks_dataset(networks, kBesideOwnStep));
  add_cells(part, view, networks, {kOwnStep}, "e");
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  using enum Scheme;
  const MeasuredNetworks all = measured_networks(view);
  const MeasuredNetworks networks = beside_containers(all, false);
  const MeasuredNetworks with_caps = beside_containers(all, true);
  const bool has_container = is_planned(networks, kOwnStep);
  Presentation parts;
  if (is_planned(networks, kPerParameter)) {
    parts["a"] =
        scheme_part(view, networks, {kNone, kPerParameter}, kPerParameter, "a", naive_facts);
  }
  if (is_planned(networks, kFlat)) {
    parts["b"] = scheme_part(view, networks, {kNone, kPerParameter, kFlat}, kFlat, "b", flat_facts);
  }
  if (has_container) {
    parts["c"] =
        scheme_part(view, networks, {kOwnStep, kNone, kPerParameter, kFlat, kOverlapped, kReducer},
                    kOwnStep, "c", overlap_facts);
  } else if (is_planned(networks, kOverlapped)) {
    parts["c"] = scheme_part(view, networks, {kNone, kPerParameter, kFlat, kOverlapped},
                             kOverlapped, "c", overlap_facts);
  }
  if (is_planned(with_caps, kBucketed) || is_planned(with_caps, kOwnStep))
    parts["d"] = present_buckets(view, with_caps);
  if (std::ranges::any_of(all, &MeasuredNetwork::is_of_own_step))
    parts["e"] = own_step_part(view, all);
  return parts;
}

}  // namespace labreport::data_parallel
