// Part (d): gradients in buckets, how many there are, and which size is best.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/change.h"
#include "experiments/data_parallel/lanes.h"
#include "experiments/data_parallel/parts.h"
#include "experiments/data_parallel/predicted.h"
#include "experiments/data_parallel/tables.h"

namespace labreport::data_parallel {
namespace {

constexpr double kMega = 1e6;
// A difference explains another if it is between this share of it and its inverse.
constexpr double kExplains = 0.7;
constexpr std::initializer_list<Scheme> kWanted{Scheme::kNone, Scheme::kOverlapped,
                                                Scheme::kBucketed, Scheme::kReducer};

/// A cap, what it leads to by arithmetic, and what was measured.
struct BucketRow {
  const Trained* trained;
  double cap;  ///< MB
  std::int64_t calls;
  double largest;                        ///< MB
  std::optional<double> model = {};      ///< ms that stay exposed by the handout's model
  std::optional<double> predicted = {};  ///< ms of a step
  std::optional<double> more = {};       ///< ms measured beyond the step without communication
  std::optional<double> predicted_more = {};
  Value added = {};

  Value traced(const std::optional<double>& value) const {
    return value ? Value(*value) : Value::missing(trained->untraced());
  }
};

Value step_of_row(const BucketRow& row) {
  const std::vector<double>& steps = row.trained->steps_ms;
  return steps.empty() ? Value::missing(row.trained->reason) : Value::mean_of(steps);
}

const std::vector<Column<BucketRow>> kBuckets{
    {"cap", "Cap", &BucketRow::cap, "MB", {Notation::kShortest}},
    {"calls", "Buckets", &BucketRow::calls, "", {Notation::kCount}},
    {"largest", "Largest", &BucketRow::largest, "MB", {Notation::kSignificant, 3}},
    {"step", "Step", step_of_row, "ms"},
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
     [](const BucketRow& row) { return row.traced(row.trained->exposed_ms()); }, "ms"},
    {"hidden",
     "Hidden",
     [](const BucketRow& row) { return row.traced(row.trained->hidden_share()); },
     "%",
     {Notation::kPercent}},
    {"model",
     "S/(nβ) + nα",
     [](const BucketRow& row) { return Value(row.model); },
     "ms",
     {Notation::kSignificant, 3}}};

BucketRow bucket_row(const Network& network, const Trained& trained,
                     const std::vector<Predicted>& predicted) {
  const CellSpec& spec = trained.cell->spec;
  const std::vector<std::int64_t> bytes = all_reduce_bytes(spec);
  BucketRow row{&trained, static_cast<double>(spec.bucket.value_or(0)) / kMega, std::ssize(bytes),
                static_cast<double>(*std::ranges::max_element(bytes)) / kMega};
  if (const auto model = network.model()) {
    row.model = model->exposed(static_cast<double>(row.calls)) * 1e3;
  }
  const auto found = std::ranges::find(predicted, &trained, &Predicted::trained);
  if (found != predicted.end()) row.predicted = found->two_ms;
  const Trained* none = network.ran(Scheme::kNone);
  if (none != nullptr && row.predicted) row.predicted_more = *row.predicted - *none->step_ms();
  row.more = network.added_ms(trained);
  row.added = added_value(network, trained);
  return row;
}

std::vector<BucketRow> bucket_rows(const Network& network) {
  const std::vector<Predicted> predicted = predicted_steps(network);
  std::vector<BucketRow> rows;
  for (const Trained* trained : network.bucketed()) {
    rows.push_back(bucket_row(network, *trained, predicted));
  }
  return rows;
}

/// The handout's model for its worst and its best cap beside their measured steps, and the reason
/// why the model is off: overlap hides what it counts, or all-reduces slow the backward pass.
std::optional<Facts> expected(const std::vector<BucketRow>& rows) {
  const auto best = std::ranges::min_element(rows, {}, &BucketRow::model);
  const auto worst = std::ranges::max_element(rows, {}, &BucketRow::model);
  if (rows.empty() || !best->model || *best->model == *worst->model) return std::nullopt;
  const Trained &a = *best->trained, &b = *worst->trained;
  const auto apart = differ(&a, &b);
  if (!apart) return std::nullopt;
  const double longer = *a.step_ms() - *b.step_ms();
  const bool slower = *apart && longer > 0, faster = *apart && longer < 0;
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
      .flag("alike", !*apart)
      .when("stretched", stretched, Facts().set("of", backward, kThree))
      .when("hides", hides, Facts().set("exposed", exposed, kThree))
      .flag("unexplained", slower && !hides && !stretched)
      .flag("unseen", !faster && worst->calls > best->calls);
}

/// "475 to 479": the shortest and the longest step of any cap; empty if none ran.
std::string range_of_steps(const std::vector<BucketRow>& rows) {
  std::vector<double> steps;
  for (const BucketRow& row : rows) {
    if (row.trained->step_ms()) steps.push_back(*row.trained->step_ms());
  }
  if (steps.empty()) return "";
  const auto [least, most] = std::ranges::minmax(steps);
  return from_to(format_value(least, kThree), format_value(most, kThree));
}

Facts network_facts(const Network& network) {
  const std::vector<BucketRow> rows = bucket_rows(network);
  std::vector<std::string> caps, counts;
  for (const BucketRow& row : rows) {
    caps.push_back(cap_words(row.cap * kMega));
    counts.push_back(format_count(row.calls));
  }
  const auto model = network.model();
  const std::string steps = range_of_steps(rows);
  return Facts()
      .set("network", network.words)
      .set("caps", join_words(caps))
      .set("counts", join_words(counts))
      .when("steps", !steps.empty(), "range", steps)
      .when("expected", expected(rows))
      .when("best", model.has_value(), "size", model ? megabytes(model->best_bytes()) : "");
}

}  // namespace

PartContent present_buckets(const RunView& view, const std::vector<Network>& networks) {
  PartContent part;
  add_conditions(part.facts, view, networks);
  const Network* network = foremost(networks, Scheme::kBucketed);
  if (network == nullptr) {
    network = &*std::ranges::find_if(
        networks, [](const Network& any) { return any.find(Scheme::kBucketed) != nullptr; });
  }
  part.facts.when("one", network_facts(*network));
  part.datasets = lanes_of(networks, {Scheme::kBucketed, Scheme::kReducer}, "in buckets");
  for (const Network& network : networks) {
    for (Dataset dataset : {make_dataset("buckets", kBuckets, bucket_rows(network)),
                            predicted_dataset(predicted_steps(network))}) {
      dataset.family = networks.size() > 1 ? "Network" : "";
      dataset.variant = networks.size() > 1 ? network.words : "";
      part.datasets.push_back(std::move(dataset));
    }
  }
  part.datasets.push_back(schemes_dataset(networks, kWanted));
  part.datasets.push_back(ranks_dataset(networks, kWanted));
  add_cells(part, view, networks, kWanted, "d");
  return part;
}

}  // namespace labreport::data_parallel
