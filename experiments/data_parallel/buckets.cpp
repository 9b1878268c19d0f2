// Part (d): gradients in buckets: the number of buckets, and the best bucket size.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/bytes.h"
#include "experiments/common/change.h"
#include "experiments/data_parallel/buckets.h"
#include "experiments/data_parallel/lanes.h"
#include "experiments/data_parallel/scheme_tables.h"
#include "plan/collectives.h"

namespace labreport::data_parallel {
namespace {

constexpr double kMega = 1e6;
constexpr double kMsPerSecond = 1e3;
// A time difference explains another if their ratio lies between this and its inverse.
constexpr double kMinExplainedRatio = 0.7;
constexpr std::initializer_list<Scheme> kSchemes{Scheme::kNone, Scheme::kOverlapped,
                                                 Scheme::kBucketed, Scheme::kReducer};

/// One scheme's mean step, and predictions of it. `predicted_ms` does not use the measured step.
struct PredictedStep {
  const SchemeResult* result;
  double measured_ms;
  double predicted_ms;  ///< For as many ranks as were measured, which is two.
  std::optional<double> four_gpus_ms = {}, eight_gpus_ms = {};

  double relative_error() const { return predicted_ms / measured_ms - 1; }
};

const std::vector<Column<PredictedStep>> kPredicted{
    {"scheme", "Scheme", [](const PredictedStep& row) { return Value(row.result->words()); }},
    {"measured", "Measured", &PredictedStep::measured_ms, "ms"},
    {"predicted", "Predicted", &PredictedStep::predicted_ms, "ms"},
    {"error", "Off by", &PredictedStep::relative_error, "%", kAsPercent},
    {"four", "4 GPUs, predicted", &PredictedStep::four_gpus_ms, "ms"},
    {"eight", "8 GPUs, predicted", &PredictedStep::eight_gpus_ms, "ms"}};

/// Adds the scheme's predicted exposed communication to the measured step without communication. A
/// ring of n ranks sends 2(n − 1)/n times the bytes and pays n − 1 times the latency of two ranks.
double predict_step_ms(const MeasuredNetwork& network, const SchemeResult& result,
                       std::int64_t ranks) {
  const SchemeResult& baseline = *network.find_timed(Scheme::kNone);
  const BucketFormula formula = *network.bucket_formula();
  const std::int64_t measured_ranks = network.spec.ranks->count;
  const double alpha = formula.latency_seconds * static_cast<double>(ranks - 1) /
                       static_cast<double>(measured_ranks - 1);
  const double beta = formula.bytes_per_second * bus_factor(measured_ranks) / bus_factor(ranks);
  const double exposed_s =
      exposed_seconds(result.cell->spec, *baseline.backward_ms / kMsPerSecond, alpha, beta);
  return *baseline.step_ms() + exposed_s * kMsPerSecond;
}

/// Predicts the step of each scheme that communicates; empty if the baseline, latency or bandwidth
/// was not measured. Predictions for more GPUs assume that the error in ms is the same as for two.
std::vector<PredictedStep> predicted_steps(const MeasuredNetwork& network) {
  const SchemeResult* baseline = network.find_timed(Scheme::kNone);
  std::vector<PredictedStep> rows;
  if (baseline == nullptr || !baseline->backward_ms || !network.bucket_formula()) return rows;
  for (const SchemeResult& result : network.schemes) {
    if (!result.step_ms() || result.scheme() == Scheme::kNone) continue;
    PredictedStep row{&result, *result.step_ms(),
                      predict_step_ms(network, result, network.spec.ranks->count)};
    if (network.spec.device == DeviceKind::kCuda) {
      const double unexplained_ms = row.measured_ms - row.predicted_ms;
      row.four_gpus_ms = predict_step_ms(network, result, 4) + unexplained_ms;
      row.eight_gpus_ms = predict_step_ms(network, result, 8) + unexplained_ms;
    }
    rows.push_back(row);
  }
  return rows;
}

/// One bucket cap: its buckets, and its step as measured and predicted.
struct BucketRow {
  const SchemeResult* result;
  double cap_mb;  ///< The size that a bucket of several gradients does not exceed.
  std::int64_t bucket_count;
  double largest_bucket_mb;
  std::optional<double> formula_ms = {};  ///< Exposed, by the handout's `BucketFormula`.
  std::optional<double> predicted_step_ms = {};
  std::optional<double> added_ms = {};  ///< Measured, beyond the step without communication.
  std::optional<double> predicted_added_ms = {};
  Value added_ms_or_reason = {};
};

const std::vector<Column<BucketRow>> kBuckets{
    {"cap", "Cap", &BucketRow::cap_mb, "MB", {Notation::kNoTrailingZeros}},
    {"calls", "Buckets", &BucketRow::bucket_count, "", kAsCount},
    {"largest", "Largest", &BucketRow::largest_bucket_mb, "MB", kThreeDigits},
    {"step", "Step", [](const BucketRow& row) { return row.result->step_or_reason(); }, "ms"},
    {"predicted", "Predicted", &BucketRow::predicted_step_ms, "ms"},
    {"added", "Added", &BucketRow::added_ms_or_reason, "ms"},
    {"more", "Longer by", &BucketRow::added_ms, "ms", kThreeDigits},
    {"predicted_more", "Predicted to add", &BucketRow::predicted_added_ms, "ms", kThreeDigits},
    {"exposed", "Exposed",
     [](const BucketRow& row) {
       return row.result->traced_value_or_reason(row.result->exposed_ms());
     },
     "ms"},
    {"hidden", "Hidden",
     [](const BucketRow& row) {
       return row.result->traced_value_or_reason(row.result->hidden_fraction());
     },
     "%", kAsPercent},
    {"model", "S/(nβ) + nα", &BucketRow::formula_ms, "ms", kThreeDigits}};

std::vector<BucketRow> bucket_rows(const MeasuredNetwork& network) {
  const std::vector<PredictedStep> predicted = predicted_steps(network);
  const SchemeResult* baseline = network.find_timed(Scheme::kNone);
  std::vector<BucketRow> rows;
  for (const SchemeResult& result : network.schemes) {
    if (result.scheme() != Scheme::kBucketed) continue;
    const std::vector<std::int64_t> bytes = all_reduce_bytes(result.cell->spec);
    BucketRow& row = rows.emplace_back(
        BucketRow{.result = &result,
                  .cap_mb = static_cast<double>(result.cell->spec.bucket_bytes.value_or(0)) / kMega,
                  .bucket_count = std::ssize(bytes),
                  .largest_bucket_mb = static_cast<double>(std::ranges::max(bytes)) / kMega,
                  .added_ms = network.added_ms(result),
                  .added_ms_or_reason = added_ms_or_reason(network, result)});
    if (const auto formula = network.bucket_formula()) {
      const double exposed_s = formula->exposed_seconds(static_cast<double>(row.bucket_count));
      row.formula_ms = exposed_s * kMsPerSecond;
    }
    const auto prediction = std::ranges::find(predicted, &result, &PredictedStep::result);
    if (prediction == predicted.end()) continue;
    row.predicted_step_ms = prediction->predicted_ms;
    row.predicted_added_ms = prediction->predicted_ms - *baseline->step_ms();
  }
  return rows;
}

/// Compares the handout's formula at its worst and its best cap with the measured steps. An error
/// of the formula has one of two reasons: overlap hides communication, or backward takes longer.
std::optional<Facts> formula_facts(const std::vector<BucketRow>& rows) {
  const auto best = std::ranges::min_element(rows, {}, &BucketRow::formula_ms);
  const auto worst = std::ranges::max_element(rows, {}, &BucketRow::formula_ms);
  if (rows.empty() || !best->formula_ms) return std::nullopt;
  const double best_formula_ms = *best->formula_ms, worst_formula_ms = *worst->formula_ms;
  if (best_formula_ms == worst_formula_ms) return std::nullopt;
  const SchemeResult &best_result = *best->result, &worst_result = *worst->result;
  const auto differ = steps_differ(&best_result, &worst_result);
  if (!differ) return std::nullopt;
  const double longer_ms = *best_result.step_ms() - *worst_result.step_ms();
  const bool best_slower = *differ && longer_ms > 0, best_faster = *differ && longer_ms < 0;
  const double exposed_ms = worst_result.exposed_ms().value_or(worst_formula_ms);
  const bool hides = !best_faster && exposed_ms < kMinExplainedRatio * worst_formula_ms;
  const double backward_longer_ms =
      best_result.backward_ms.value_or(0) - worst_result.backward_ms.value_or(0);
  const bool stretched = best_slower && !hides && best_result.backward_ms &&
                         worst_result.backward_ms &&
                         backward_longer_ms >= kMinExplainedRatio * longer_ms &&
                         backward_longer_ms <= longer_ms / kMinExplainedRatio;
  return Facts()
      .set("worst", worst_result.words())
      .set("most", worst_formula_ms, kThreeDigits)
      .set("best", best_result.words())
      .set("least", best_formula_ms, kThreeDigits)
      .flag("faster", best_faster)
      .flag("slower", best_slower)
      .flag("alike", !*differ)
      .when("stretched", stretched, Facts().set("longer_ms", backward_longer_ms, kThreeDigits))
      .when("hides", hides, Facts().set("exposed", exposed_ms, kThreeDigits))
      .flag("unexplained", best_slower && !hides && !stretched)
      .flag("unseen", !best_faster && worst->bucket_count > best->bucket_count);
}

Facts network_facts(const MeasuredNetwork& network) {
  const std::vector<BucketRow> rows = bucket_rows(network);
  std::vector<std::string> caps, counts;
  std::vector<double> steps_ms;
  for (const BucketRow& row : rows) {
    caps.push_back(cap_words(row.cap_mb * kMega));
    counts.push_back(format_count(row.bucket_count));
    if (row.result->step_ms()) steps_ms.push_back(*row.result->step_ms());
  }
  std::string range;
  if (!steps_ms.empty()) {
    const auto [low, high] = std::ranges::minmax(steps_ms);
    range = from_to(format_value(low, kThreeDigits), format_value(high, kThreeDigits));
  }
  const auto formula = network.bucket_formula();
  return Facts()
      .set("network", network.words)
      .set("caps", join_words(caps))
      .set("counts", join_words(counts))
      .when("steps", !range.empty(), "range", range)
      .when("expected", formula_facts(rows))
      .when("best", formula.has_value(), "size",
            formula ? size_words(formula->optimal_bucket_bytes()) : "");
}

}  // namespace

PartContent present_buckets(const RunView& view, const MeasuredNetworks& networks) {
  PartContent part;
  add_conditions(part.facts, view, networks);
  const MeasuredNetwork* answer_network = largest_network(networks, Scheme::kBucketed);
  if (answer_network == nullptr) {  // Without times the answer still has the numbers of buckets.
    answer_network = &*std::ranges::find_if(
        networks, [](const auto& network) { return network.find(Scheme::kBucketed) != nullptr; });
  }
  part.facts.when("one", network_facts(*answer_network));
  part.datasets = lane_datasets(networks, {Scheme::kBucketed, Scheme::kReducer}, "in buckets");
  for (const MeasuredNetwork& network : networks) {
    for (Dataset dataset : {make_dataset("buckets", kBuckets, bucket_rows(network)),
                            make_dataset("predicted", kPredicted, predicted_steps(network))}) {
      dataset.family = networks.size() > 1 ? "Network" : "";
      dataset.variant = networks.size() > 1 ? network.words : "";
      part.datasets.push_back(std::move(dataset));
    }
  }
  part.datasets.push_back(schemes_dataset(networks, kSchemes));
  part.datasets.push_back(ranks_dataset(networks, kSchemes));
  add_cells(part, view, networks, kSchemes, "d");
  return part;
}

}  // namespace labreport::data_parallel
