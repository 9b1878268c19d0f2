// Part (d): gradients in buckets, how many there are, and which size is best.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/format.h"
#include "base/statistics.h"
#include "experiments/data_parallel/lanes.h"
#include "experiments/data_parallel/parts.h"
#include "experiments/data_parallel/predicted.h"
#include "experiments/data_parallel/tables.h"

namespace labreport::data_parallel {
namespace {

constexpr double kMega = 1e6;
// A prediction that is farther off than this explains nothing.
constexpr double kPredicts = 0.25;
// Of a difference the share that explains it at least; at most its inverse.
constexpr double kExplainsFrom = 0.5;
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

template <typename Words>
std::string listed(const std::vector<BucketRow>& rows, const Words& words) {
  std::vector<std::string> all;
  for (const BucketRow& row : rows) all.push_back(words(row));
  return fmt::format("{}", fmt::join(all, ", "));
}

double smallest_matrix(const Network& network) {
  const ModelShape& shape = *network.spec.model;
  const std::int64_t least = std::min(
      {shape.d_model * shape.d_model, shape.d_model * shape.d_ff, shape.d_model * shape.vocab});
  return 4 * static_cast<double>(least);
}

/// Caps of which each bucket holds one gradient: different caps, one partition.
std::optional<Facts> same_partition(const Network& network, const std::vector<BucketRow>& rows) {
  std::vector<std::string> alike;
  for (const BucketRow& row : rows) {
    if (row.calls == std::ssize(network.gradients()) &&
        row.cap * kMega < smallest_matrix(network)) {
      alike.push_back(cap_words(row.cap * kMega));
    }
  }
  if (alike.size() < 2) return std::nullopt;
  return Facts()
      .set("caps", fmt::format("{}", fmt::join(alike, " and ")))
      .set("matrix", megabytes(smallest_matrix(network)));
}

std::optional<Facts> best_by_model(const Network& network) {
  const auto model = network.model();
  const Trained* none = network.ran(Scheme::kNone);
  if (!model || none == nullptr) return std::nullopt;
  const double exposed = model->exposed(model->best_count()) * 1e3;
  Facts facts;
  facts.set("count", format_significant(model->best_count(), 3));
  facts.set("size", megabytes(model->best_bytes()));
  facts.set("exposed", format_significant(exposed, 3));
  facts.set("alpha", format_significant(model->alpha * 1e6, 3));
  facts.set("beta", format_significant(model->beta / 1e9, 3));
  facts.set("share", format_percent(exposed / *none->step_ms()));
  const double varies = sample_stddev(none->steps_ms);
  facts.when("below", exposed < varies, "varies", ms_words(varies));
  return facts;
}

/// What latencies make of the difference: those of the calls that one has more.
std::optional<Facts> more_latencies(const Network& network, const Trained& slowest,
                                    const Trained& fastest) {
  const auto model = network.model();
  const double more = slowest.calls - fastest.calls;
  if (!model || more <= 0) return std::nullopt;
  const double latency = more * model->alpha * 1e3;
  const double explained = latency / (*slowest.step_ms() - *fastest.step_ms());
  Facts facts;
  facts.set("more", format_count(static_cast<std::int64_t>(more)));
  facts.set("latency", difference_words(latency));
  facts.flag("explains", explained >= kExplainsFrom && explained <= 1 / kExplainsFrom);
  return facts;
}

struct Range {
  double least, most;
  /// "10.8 to 19.4 ms"; "10.6 ms" where both are written alike.
  std::string words() const {
    const std::string from = difference_words(least), to = difference_words(most);
    if (from == to) return from;
    const std::string unit = to.substr(to.find(' '));
    return (from.ends_with(unit) ? from.substr(0, from.find(' ')) : from) + " to " + to;
  }
};

/// Over the caps; nothing where one of them lacks it.
template <typename OfRow>
std::optional<Range> range_of(const std::vector<BucketRow>& rows, const OfRow& of_row) {
  Range range{std::numeric_limits<double>::max(), 0};
  for (const BucketRow& row : rows) {
    const std::optional<double> value = of_row(*row.trained);
    if (!value || *value <= 0) return std::nullopt;
    range = {std::min(range.least, *value), std::max(range.most, *value)};
  }
  return range;
}

/// What the caps add to a step, and whether it is backward, which all-reduces stretch.
std::optional<Facts> measured_caps(const Network& network, const std::vector<BucketRow>& rows) {
  const Trained& none = *network.ran(Scheme::kNone);
  const auto added = range_of(rows, [&](const Trained& it) { return network.added_ms(it); });
  const auto longer = range_of(rows, [&](const Trained& it) -> std::optional<double> {
    if (!it.backward_ms || !none.backward_ms) return std::nullopt;
    return *it.backward_ms - *none.backward_ms;
  });
  if (!added || added->least <= sample_stddev(none.steps_ms)) return std::nullopt;
  const bool explains = longer && longer->least >= kExplainsFrom * added->least &&
                        longer->most >= kExplainsFrom * added->most;
  Facts facts;
  facts.set("span", added->words());
  facts.when("stretched", explains, "span", explains ? longer->words() : "");
  return facts;
}

/// How much longer the one's backward takes, where that is what its step takes longer.
std::optional<Facts> more_stretch(const Trained& slowest, const Trained& fastest) {
  if (!slowest.backward_ms || !fastest.backward_ms) return std::nullopt;
  const double longer = *slowest.backward_ms - *fastest.backward_ms;
  const double explained = longer / (*slowest.step_ms() - *fastest.step_ms());
  if (explained < kExplainsFrom || explained > 1 / kExplainsFrom) return std::nullopt;
  return Facts().set("longer", difference_words(longer));
}

/// What the handout's model expects of the caps, and whether such steps could show it.
std::optional<Facts> expected(const Network& network, const std::vector<BucketRow>& rows) {
  const Trained* none = network.ran(Scheme::kNone);
  if (!network.model() || none == nullptr || rows.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax_element(rows, {}, &BucketRow::model);
  const double range = *most->model - *least->model;
  Facts facts;
  facts.set("least", format_significant(*least->model, 3));
  facts.set("most", format_significant(*most->model, 3));
  facts.set("best", least->trained->words());
  facts.flag("unseen", range < sample_stddev(none->steps_ms));
  facts.when("measured", measured_caps(network, rows));
  return facts;
}

/// By how much steps differ that share out gradients alike, one a bucket: what launches differ by.
double twins(const Network& network) {
  double least = std::numeric_limits<double>::max(), most = 0;
  for (const Trained& trained : network.schemes) {
    const bool alone =
        trained.scheme() == Scheme::kOverlapped || trained.scheme() == Scheme::kBucketed;
    const auto tensors = static_cast<double>(network.gradients().size());
    if (!alone || !trained.step_ms() || trained.calls != tensors) continue;
    least = std::min(least, *trained.step_ms()), most = std::max(most, *trained.step_ms());
  }
  return std::max(0.0, most - least);
}

std::optional<Facts> spread(const Network& network, const std::vector<BucketRow>& rows) {
  const Trained* slowest = nullptr;
  const Trained* fastest = nullptr;
  for (const BucketRow& row : rows) {
    if (!row.trained->step_ms()) continue;
    if (!slowest || *row.trained->step_ms() > *slowest->step_ms()) slowest = row.trained;
    if (!fastest || *row.trained->step_ms() < *fastest->step_ms()) fastest = row.trained;
  }
  if (slowest == fastest) return std::nullopt;
  Facts facts;
  facts.set("steps", listed(rows, [](const BucketRow& row) {
              return row.trained->step_ms() ? ms_words(*row.trained->step_ms()) : "–";
            }));
  facts.set("slowest", slowest->words()).set("fastest", fastest->words());
  const double range = *slowest->step_ms() - *fastest->step_ms(), noise = twins(network);
  facts.set("range", difference_words(range));
  facts.set("range_share", format_percent(1 - *fastest->step_ms() / *slowest->step_ms()));
  const bool apart = *differ(slowest, fastest) && range > noise;
  facts.flag("apart", apart);
  facts.when("twins", noise > 0, "of", difference_words(noise));
  const bool most = std::ranges::none_of(
      rows, [&](const BucketRow& row) { return row.trained->calls > slowest->calls; });
  const auto stretch = apart ? more_stretch(*slowest, *fastest) : std::nullopt;
  facts.when("stretch", stretch);
  facts.when("latencies", apart && most && !stretch ? more_latencies(network, *slowest, *fastest)
                                                    : std::nullopt);
  return facts;
}

std::optional<Facts> reducer(const Network& network) {
  const Trained* trained = network.ran(Scheme::kReducer);
  if (trained == nullptr) return std::nullopt;
  Facts facts;
  facts.set("step", ms_words(*trained->step_ms()));
  facts.set("calls", format_plural(static_cast<std::int64_t>(trained->calls), "bucket"));
  facts.when("hides", trained->hidden_share().has_value(), "share",
             format_percent(trained->hidden_share().value_or(0)));
  return facts;
}

/// What steps that overlap add, where the arithmetic has less than half of it.
std::optional<Facts> missed(const Network& network, const std::vector<Predicted>& rows) {
  Range predicted{std::numeric_limits<double>::max(), 0}, measured = predicted;
  const auto widen = [](Range& range, double value) {
    range = {std::min(range.least, value), std::max(range.most, value)};
  };
  for (const Predicted& row : rows) {
    if (!row.trained->overlaps()) continue;
    widen(predicted, row.two_ms - *network.ran(Scheme::kNone)->step_ms());
    widen(measured, *network.added_ms(*row.trained));
  }
  if (measured.least <= 0 || predicted.most >= kExplainsFrom * measured.least) return std::nullopt;
  return Facts().set("expected", predicted.words()).set("added", measured.words());
}

std::optional<Facts> prediction(const Network& network) {
  const std::vector<Predicted> rows = predicted_steps(network);
  if (rows.empty()) return std::nullopt;
  const auto worst =
      std::ranges::max_element(rows, {}, [](const auto& row) { return std::abs(row.error()); });
  Facts facts;
  facts.set("error", format_percent(std::abs(worst->error())));
  facts.set("scheme", worst->trained->words());
  const auto least =
      std::ranges::min_element(rows, {}, [](const auto& row) { return row.eight_ms.value_or(0); });
  facts.when("missed", missed(network, rows));
  const bool predicts = std::abs(worst->error()) <= kPredicts;
  facts.flag("predicts", predicts);
  facts.when("more", predicts && least->eight_ms.has_value(),
             least->eight_ms ? Facts()
                                   .set("scheme", least->trained->words())
                                   .set("four", ms_words(*least->four_ms))
                                   .set("eight", ms_words(*least->eight_ms))
                             : Facts());
  return facts;
}

Facts network_facts(const Network& network) {
  const std::vector<BucketRow> rows = bucket_rows(network);
  Facts facts;
  facts.set("words", network.words);
  facts.set("tensors", format_count(std::ssize(network.gradients())));
  facts.set("caps", listed(rows, [](const BucketRow& row) { return cap_words(row.cap * kMega); }));
  facts.set("counts", listed(rows, [](const BucketRow& row) { return format_count(row.calls); }));
  facts.when("same", same_partition(network, rows));
  facts.when("spread", spread(network, rows));
  facts.when("expected", expected(network, rows));
  facts.when("best", best_by_model(network));
  facts.when("reducer", reducer(network));
  facts.when("prediction", prediction(network));
  return facts;
}

}  // namespace

PartContent present_buckets(const RunView& view, const std::vector<Network>& networks) {
  PartContent part;
  part.facts.list("missing", missing(networks, kWanted));
  add_conditions(part.facts, view, networks);
  std::vector<Facts> all;
  for (const Network& network : networks) {
    if (!network.bucketed().empty()) all.push_back(network_facts(network));
  }
  part.facts.list("networks", std::move(all));
  part.datasets = lanes_of(networks, {Scheme::kBucketed, Scheme::kReducer});
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
