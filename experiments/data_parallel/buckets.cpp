// Part (d): gradients in buckets: the number of buckets, and the best bucket size.
#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/change.h"
#include "experiments/common/code_name.h"
#include "experiments/data_parallel/buckets.h"
#include "experiments/data_parallel/lanes.h"
#include "experiments/data_parallel/scheme_tables.h"

namespace labreport::data_parallel {
namespace {

constexpr double kMega = 1e6;
constexpr double kMsPerSecond = 1e3;
constexpr std::initializer_list<Scheme> kSchemes{
    Scheme::kOwnStep, Scheme::kNone, Scheme::kOverlapped, Scheme::kBucketed, Scheme::kReducer};

/// One bucket cap: its buckets, its step as measured, and the handout's formula for it.
struct BucketRow {
  const SchemeResult* result;
  double cap_mb;  ///< The size that a bucket of several gradients does not exceed.
  /// Counted if the user's container makes them; nothing if it has no numbers.
  std::optional<std::int64_t> bucket_count = {};
  std::optional<double> largest_mb = {};  ///< Unknown of the user's buckets.
  std::optional<double> formula_ms = {};  ///< Exposed, by the handout's `BucketFormula`.
  std::optional<double> added_ms = {};    ///< Measured, beyond the step without communication.
  std::optional<double> longer_backward_ms = {};
  Value added_ms_or_reason = {};
};

const std::vector<Column<BucketRow>> kBuckets{
    {"scheme", "Gradients", [](const BucketRow& row) { return Value(row.result->words()); }},
    {"cap", "Cap", &BucketRow::cap_mb, "MB", {Notation::kNoTrailingZeros}},
    {"calls", "Buckets", &BucketRow::bucket_count, "", kAsCount},
    {"largest", "Largest", &BucketRow::largest_mb, "MB", kThreeDigits},
    {"step", "Step", [](const BucketRow& row) { return row.result->step_or_reason(); }, "ms"},
    {"added", "Added", &BucketRow::added_ms_or_reason, "ms"},
    {"more", "Longer by", &BucketRow::added_ms, "ms", kThreeDigits},
    {"backward", "Backward longer by", &BucketRow::longer_backward_ms, "ms", kThreeDigits},
    {"exchange", "After backward",
     [](const BucketRow& row) { return row.result->value_or_reason(row.result->exchange_ms); },
     "ms", kThreeDigits},
    {"model", "S/(nβ) + nα", &BucketRow::formula_ms, "ms", kThreeDigits}};

std::vector<BucketRow> bucket_rows(const MeasuredNetwork& network, Scheme scheme) {
  std::vector<BucketRow> rows;
  for (const SchemeResult& result : network.schemes) {
    if (result.scheme() != scheme) continue;
    const CellSpec& spec = result.cell->spec;
    BucketRow& row = rows.emplace_back(
        BucketRow{.result = &result,
                  .cap_mb = static_cast<double>(spec.bucket_bytes.value_or(0)) / kMega,
                  .added_ms = network.added_ms(result),
                  .longer_backward_ms = network.longer_backward_ms(result),
                  .added_ms_or_reason = added_ms_or_reason(network, result)});
    if (scheme == Scheme::kBucketed) {
      const std::vector<std::int64_t> bytes = all_reduce_bytes(spec);
      row.bucket_count = std::ssize(bytes);
      row.largest_mb = static_cast<double>(std::ranges::max(bytes)) / kMega;
    } else if (result.all_reduce_count > 0) {
      row.bucket_count = static_cast<std::int64_t>(result.all_reduce_count);
    }
    const auto formula = network.bucket_formula();
    if (formula && row.bucket_count) {
      const double exposed_s = formula->exposed_seconds(static_cast<double>(*row.bucket_count));
      row.formula_ms = exposed_s * kMsPerSecond;
    }
  }
  return rows;
}

/// Returns "11.2 to 15.3". There must be values.
std::string range_words(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return from_to(format_value(low, kThreeDigits), format_value(high, kThreeDigits));
}

/// Names the caps whose steps are as long as `extreme`'s. Caps that make as many buckets count as
/// equal, and so do steps that differ by less than they vary. All rows must have steps.
std::vector<double> caps_as_long_as(const BucketRow& extreme, const std::vector<BucketRow>& rows) {
  std::vector<double> caps_mb;
  for (const BucketRow& row : rows) {
    const bool is_as_long = std::ranges::any_of(rows, [&](const BucketRow& other) {
      return other.bucket_count == row.bucket_count && !*steps_differ(other.result, extreme.result);
    });
    if (is_as_long) caps_mb.push_back(row.cap_mb);
  }
  return caps_mb;
}

/// Names all caps that make as many buckets as `like`'s.
std::vector<double> caps_with_buckets_of(const BucketRow& like,
                                         const std::vector<BucketRow>& rows) {
  return each(
      only(rows, [&](const BucketRow& row) { return row.bucket_count == like.bucket_count; }),
      &BucketRow::cap_mb);
}

std::string caps_words(const std::vector<double>& caps_mb) {
  return join_words(each(caps_mb, [](double cap_mb) { return cap_words(cap_mb * kMega); }));
}

/// Tells by how much backward grows, and which α would show. Returns nothing unless its growth
/// explains every cap's step and backward hides the latencies of the worst cap, of which its
/// formula mostly consists.
std::optional<Facts> growth_facts(const MeasuredNetwork& network,
                                  const std::vector<BucketRow>& rows, const BucketRow& best,
                                  const BucketRow& worst) {
  constexpr double kMaxExposed = 0.1;
  const bool is_explained = std::ranges::all_of(rows, [&](const BucketRow& row) {
    return network.added_in_backward_ms(*row.result).has_value();
  });
  const bool is_hidden =
      worst.result->exchange_ms.value_or(*worst.formula_ms) <= kMaxExposed * *worst.formula_ms;
  if (!is_explained || *worst.bucket_count <= *best.bucket_count || !is_hidden) return std::nullopt;
  // From this α on, the all-reduces by themselves take longer than backward.
  const BucketFormula formula = *network.bucket_formula();
  const double transfer_ms = formula.total_bytes / formula.bytes_per_second * kMsPerSecond;
  const double latency_ms = (*network.find_timed(Scheme::kNone)->backward_ms - transfer_ms) /
                            static_cast<double>(*worst.bucket_count);
  if (latency_ms <= formula.latency_seconds * kMsPerSecond) return std::nullopt;
  return Facts()
      .set("added",
           std::ranges::max(
               each(rows, [](const BucketRow& row) { return *row.longer_backward_ms; })),
           kThreeDigits)
      .set("latency", latency_ms, kThreeDigits);
}

/// Sets the facts that compare the measured steps with the handout's formula, also in which cap is
/// best. The formula fails if its best cap is among those with the longest steps, and not among
/// those with the shortest.
void add_comparison(Facts& facts, const MeasuredNetwork& network,
                    const std::vector<BucketRow>& rows) {
  const auto formula = network.bucket_formula();
  const bool has_all_steps = std::ranges::all_of(
      rows, [](const BucketRow& row) { return row.result->step_ms() && row.formula_ms; });
  if (!has_all_steps) {
    facts.choose({"expected", "follows", "fails", "grows"}, "", {});
    return;
  }
  const auto best = std::ranges::min_element(rows, {}, &BucketRow::formula_ms);
  const auto worst = std::ranges::max_element(rows, {}, &BucketRow::formula_ms);
  const auto step_ms = [](const BucketRow& row) { return *row.result->step_ms(); };
  const auto shortest = caps_as_long_as(*std::ranges::min_element(rows, {}, step_ms), rows);
  const auto longest = caps_as_long_as(*std::ranges::max_element(rows, {}, step_ms), rows);
  const auto has_best = [&](const std::vector<double>& caps_mb) {
    return std::ranges::find(caps_mb, best->cap_mb) != caps_mb.end();
  };
  const bool follows = *steps_differ(best->result, worst->result) &&
                       step_ms(*best) < step_ms(*worst) &&
                       std::ranges::find(longest, worst->cap_mb) != longest.end();
  facts
      .when("expected", true,
            Facts()
                .set("steps", range_words(each(rows, step_ms)))
                .set("best", caps_words(caps_with_buckets_of(*best, rows)))
                .set("worst", caps_words(caps_with_buckets_of(*worst, rows)))
                .set("shortest", caps_words(shortest))
                .set("longest", caps_words(longest))
                .set("size", formula->optimal_bucket_bytes() / kMega, {Notation::kSignificant, 2}))
      .flag("follows", follows)
      .flag("fails", !follows && has_best(longest) && !has_best(shortest))
      .when("grows", follows ? std::nullopt : growth_facts(network, rows, *best, *worst));
}

void add_answer(Facts& facts, const MeasuredNetwork& network, Scheme subject) {
  const std::vector<BucketRow> rows = bucket_rows(network, subject);
  std::vector<std::string> caps, counts;
  for (const BucketRow& row : rows) {
    caps.push_back(cap_words(row.cap_mb * kMega));
    counts.push_back(format_value(row.bucket_count, kAsCount));
  }
  facts.set("network", network.words)
      .set("code", code_name(rows.front().result->cell->spec))
      .set("caps", join_words(caps))
      .set("counts", join_words(counts));
  const FittedLine line = network.all_reduce_line.value_or(FittedLine{});
  facts.when("line", network.all_reduce_line.has_value(),
             Facts()
                 .set("latency", line.latency_ns / 1e3, kThreeDigits)
                 .set("bandwidth", line.bytes_per_second / 1e9, kThreeDigits));
  add_comparison(facts, network, rows);
}

}  // namespace

PartContent present_buckets(const RunView& view, const MeasuredNetworks& networks) {
  const auto has = [](Scheme scheme) {
    return [scheme](const MeasuredNetwork& network) { return network.find(scheme) != nullptr; };
  };
  const Scheme subject =
      std::ranges::any_of(networks, has(Scheme::kOwnStep)) ? Scheme::kOwnStep : Scheme::kBucketed;
  PartContent part;
  add_conditions(part.facts, view, networks);
  const MeasuredNetwork* answer_network = largest_network(networks, subject);
  if (answer_network == nullptr)  // Without times the answer still has the numbers of buckets.
    answer_network = &*std::ranges::find_if(networks, has(subject));
  add_answer(part.facts, *answer_network, subject);
  part.datasets = lane_datasets(networks, {Scheme::kOwnStep, Scheme::kBucketed, Scheme::kReducer},
                                "in buckets");
  for (const MeasuredNetwork& network : networks) {
    std::vector<BucketRow> rows = bucket_rows(network, Scheme::kOwnStep);
    std::ranges::move(bucket_rows(network, Scheme::kBucketed), std::back_inserter(rows));
    if (rows.empty()) continue;
    Dataset dataset = make_dataset("buckets", kBuckets, rows);
    dataset.family = networks.size() > 1 ? "Network" : "";
    dataset.variant = networks.size() > 1 ? network.words : "";
    part.datasets.push_back(std::move(dataset));
  }
  part.datasets.push_back(schemes_dataset(networks, kSchemes));
  part.datasets.push_back(ranks_dataset(networks, kSchemes));
  add_cells(part, view, networks, kSchemes, "d");
  return part;
}

}  // namespace labreport::data_parallel
