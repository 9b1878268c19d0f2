// Part (d): gradients in buckets: the number of buckets, and the best bucket size.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/change.h"
#include "experiments/data_parallel/buckets.h"
#include "experiments/data_parallel/lanes.h"
#include "experiments/data_parallel/scheme_tables.h"
#include "plan/collectives.h"

namespace labreport::data_parallel {
namespace {

constexpr double kMega = 1e6;
constexpr double kMsPerSecond = 1e3;
// A time difference explains another if their ratio is between this and its inverse.
constexpr double kExplains = 0.7;
constexpr std::initializer_list<Scheme> kSchemes{Scheme::kNone, Scheme::kOverlapped,
                                                 Scheme::kBucketed, Scheme::kReducer};

/// One scheme's mean step and its prediction, in ms. The prediction does not use that step.
struct Predicted {
  const SchemeResult* result;
  double measured_ms;
  double two_ms;  ///< Predicted for as many ranks as were measured, which is two.
  std::optional<double> four_ms = {}, eight_ms = {};

  double error() const { return two_ms / measured_ms - 1; }
};

const std::vector<Column<Predicted>> kPredicted{
    {"scheme", "Scheme", [](const Predicted& row) { return Value(row.result->words()); }},
    {"measured", "Measured", &Predicted::measured_ms, "ms"},
    {"predicted", "Predicted", &Predicted::two_ms, "ms"},
    {"error",
     "Off by",
     [](const Predicted& row) { return Value(row.error()); },
     "%",
     {Notation::kPercent}},
    {"four", "4 GPUs, predicted", [](const Predicted& row) { return Value(row.four_ms); }, "ms"},
    {"eight", "8 GPUs, predicted", [](const Predicted& row) { return Value(row.eight_ms); }, "ms"}};

/// The measured step without communication plus the scheme's predicted exposed communication. On n
/// ranks a ring sends 2(n − 1)/n times the bytes, in n − 1 times as many messages as on two, each
/// with its latency.
double predicted_ms(const Network& network, const SchemeResult& result, std::int64_t ranks) {
  const SchemeResult& none = *network.ran(Scheme::kNone);
  const BucketFormula model = *network.model();
  const std::int64_t measured = network.spec.ranks->count;
  const double alpha =
      model.latency_seconds * static_cast<double>(ranks - 1) / static_cast<double>(measured - 1);
  const double beta = model.bytes_per_second * bus_factor(measured) / bus_factor(ranks);
  const double exposed =
      exposed_seconds(result.cell->spec, *none.backward_ms / kMsPerSecond, alpha, beta);
  return *none.step_ms() + exposed * kMsPerSecond;
}

/// Predicts every scheme's step; empty if the run measured no latency and bandwidth. Predictions
/// for more GPUs assume the same error as for two, such as a backward pass that all-reduces slow.
std::vector<Predicted> predicted_steps(const Network& network) {
  const SchemeResult* none = network.ran(Scheme::kNone);
  std::vector<Predicted> rows;
  if (none == nullptr || !none->backward_ms || !network.model()) return rows;
  for (const SchemeResult& result : network.schemes) {
    if (!result.step_ms() || result.scheme() == Scheme::kNone) continue;
    Predicted row{&result, *result.step_ms(),
                  predicted_ms(network, result, network.spec.ranks->count)};
    if (network.spec.device == DeviceKind::kCuda) {
      const double unexplained = row.measured_ms - row.two_ms;
      row.four_ms = predicted_ms(network, result, 4) + unexplained;
      row.eight_ms = predicted_ms(network, result, 8) + unexplained;
    }
    rows.push_back(row);
  }
  return rows;
}

/// One bucket cap: its buckets, and its step as measured and predicted.
struct BucketRow {
  const SchemeResult* result;
  double cap;  ///< The most MB in a bucket.
  std::int64_t calls;
  double largest;                        ///< MB of the largest bucket
  std::optional<double> model = {};      ///< exposed ms by the handout's model
  std::optional<double> predicted = {};  ///< ms of a step
  std::optional<double> more = {};       ///< measured ms beyond the step without communication
  std::optional<double> predicted_more = {};
  Value added = {};
};

const std::vector<Column<BucketRow>> kBuckets{
    {"cap", "Cap", &BucketRow::cap, "MB", {Notation::kShortest}},
    {"calls", "Buckets", &BucketRow::calls, "", {Notation::kCount}},
    {"largest", "Largest", &BucketRow::largest, "MB", {Notation::kSignificant, 3}},
    {"step", "Step", [](const BucketRow& row) { return row.result->step(); }, "ms"},
    {"predicted", "Predicted", [](const BucketRow& row) { return Value(row.predicted); }, "ms"},
    {"added", "Added", [](const BucketRow& row) { return row.added; }, "ms"},
    {"more",
     "Longer by",
     [](const BucketRow& row) { return Value(row.more); },
     "ms",
     {Notation::kSignificant, 3}},
    {"predicted_more",
     "Predicted to add",
     [](const BucketRow& row) { return Value(row.predicted_more); },
     "ms",
     {Notation::kSignificant, 3}},
    {"exposed", "Exposed",
     [](const BucketRow& row) { return row.result->traced(row.result->exposed_ms()); }, "ms"},
    {"hidden",
     "Hidden",
     [](const BucketRow& row) { return row.result->traced(row.result->hidden_share()); },
     "%",
     {Notation::kPercent}},
    {"model",
     "S/(nβ) + nα",
     [](const BucketRow& row) { return Value(row.model); },
     "ms",
     {Notation::kSignificant, 3}}};

std::vector<BucketRow> bucket_rows(const Network& network) {
  const std::vector<Predicted> predicted = predicted_steps(network);
  const SchemeResult* none = network.ran(Scheme::kNone);
  std::vector<BucketRow> rows;
  for (const SchemeResult& result : network.schemes) {
    if (result.scheme() != Scheme::kBucketed) continue;
    const std::vector<std::int64_t> bytes = all_reduce_bytes(result.cell->spec);
    BucketRow& row = rows.emplace_back(
        BucketRow{.result = &result,
                  .cap = static_cast<double>(result.cell->spec.bucket_bytes.value_or(0)) / kMega,
                  .calls = std::ssize(bytes),
                  .largest = static_cast<double>(std::ranges::max(bytes)) / kMega,
                  .more = network.added_ms(result),
                  .added = added_value(network, result)});
    if (const auto model = network.model()) {
      row.model = model->exposed_seconds(static_cast<double>(row.calls)) * kMsPerSecond;
    }
    const auto prediction = std::ranges::find(predicted, &result, &Predicted::result);
    if (prediction == predicted.end()) continue;
    row.predicted = prediction->two_ms;
    row.predicted_more = prediction->two_ms - *none->step_ms();
  }
  return rows;
}

/// Compares the handout's model at its worst and its best cap with the measured steps, and explains
/// its error: overlap hides communication, or all-reduces slow the backward pass.
std::optional<Facts> expected(const std::vector<BucketRow>& rows) {
  const auto best = std::ranges::min_element(rows, {}, &BucketRow::model);
  const auto worst = std::ranges::max_element(rows, {}, &BucketRow::model);
  if (rows.empty() || !best->model || *best->model == *worst->model) return std::nullopt;
  const SchemeResult &a = *best->result, &b = *worst->result;
  const auto differs = differ(&a, &b);
  if (!differs) return std::nullopt;
  const double longer = *a.step_ms() - *b.step_ms();
  const bool slower = *differs && longer > 0, faster = *differs && longer < 0;
  const double exposed = b.exposed_ms().value_or(*worst->model);
  const bool hides = !faster && exposed < kExplains * *worst->model;
  const double backward = a.backward_ms.value_or(0) - b.backward_ms.value_or(0);
  const bool stretched = slower && !hides && a.backward_ms && b.backward_ms &&
                         backward >= kExplains * longer && backward <= longer / kExplains;
  return Facts()
      .set("worst", b.words())
      .set("most", *worst->model, kThree)
      .set("best", a.words())
      .set("least", *best->model, kThree)
      .flag("faster", faster)
      .flag("slower", slower)
      .flag("alike", !*differs)
      .when("stretched", stretched, Facts().set("of", backward, kThree))
      .when("hides", hides, Facts().set("exposed", exposed, kThree))
      .flag("unexplained", slower && !hides && !stretched)
      .flag("unseen", !faster && worst->calls > best->calls);
}

Facts network_facts(const Network& network) {
  const std::vector<BucketRow> rows = bucket_rows(network);
  std::vector<std::string> caps, counts;
  std::vector<double> steps_ms;
  for (const BucketRow& row : rows) {
    caps.push_back(cap_words(row.cap * kMega));
    counts.push_back(format_count(row.calls));
    if (row.result->step_ms()) steps_ms.push_back(*row.result->step_ms());
  }
  std::string range;
  if (!steps_ms.empty()) {
    const auto [least, most] = std::ranges::minmax(steps_ms);
    range = from_to(format_value(least, kThree), format_value(most, kThree));
  }
  const auto model = network.model();
  return Facts()
      .set("network", network.words)
      .set("caps", join_words(caps))
      .set("counts", join_words(counts))
      .when("steps", !range.empty(), "range", range)
      .when("expected", expected(rows))
      .when("best", model.has_value(), "size", model ? megabytes(model->optimal_bucket_bytes()) : "");
}

}  // namespace

PartContent present_buckets(const RunView& view, const std::vector<Network>& networks) {
  PartContent part;
  add_conditions(part.facts, view, networks);
  const Network* answered = largest_network(networks, Scheme::kBucketed);
  if (answered == nullptr) {
    answered = &*std::ranges::find_if(
        networks, [](const Network& any) { return any.find(Scheme::kBucketed) != nullptr; });
  }
  part.facts.when("one", network_facts(*answered));
  part.datasets = lanes_of(networks, {Scheme::kBucketed, Scheme::kReducer}, "in buckets");
  for (const Network& network : networks) {
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
