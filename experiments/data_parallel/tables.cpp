#include "experiments/data_parallel/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/statistics.h"
#include "experiments/common/command.h"
#include "experiments/data_parallel/parts.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::data_parallel {
namespace {

constexpr double kNsPerUs = 1e3;

struct SchemeRow {
  std::string network;  ///< Empty if there is only one.
  const Trained* trained;
  Value added;
  std::optional<double> stretch;

  Value or_reason(const std::optional<double>& value) const {
    return value ? Value(*value) : Value::missing(trained->reason);
  }
  Value traced(const std::optional<double>& value) const {
    return value ? Value(*value) : Value::missing(trained->untraced());
  }
};

template <typename Field>
std::function<Value(const SchemeRow&)> of_trace(Field field) {
  return [field](const SchemeRow& row) { return row.traced(std::invoke(field, row.trained)); };
}

Value step_of(const SchemeRow& row) {
  const std::vector<double>& steps = row.trained->steps_ms;
  return steps.empty() ? Value::missing(row.trained->reason) : Value::mean_of(steps);
}

template <typename Field>
std::function<Value(const SchemeRow&)> of(Field field) {
  return [field](const SchemeRow& row) { return row.or_reason(std::invoke(field, row.trained)); };
}

const std::vector<Column<SchemeRow>> kSchemeColumns{
    {"scheme", "Gradients", [](const SchemeRow& row) { return Value(row.trained->words()); }},
    {"network", "Network",
     [](const SchemeRow& row) { return row.network.empty() ? Value() : Value(row.network); }},
    {"calls",
     "All-reduces",
     [](const SchemeRow& row) {
       const std::string& reason = row.trained->reason;
       return reason.empty() ? Value(row.trained->calls) : Value::missing(reason);
     },
     "",
     {Notation::kCount}},
    {"step", "Step", step_of, "ms"},
    {"added", "Added", [](const SchemeRow& row) { return row.added; }, "ms"},
    {"skew", "Skew", of(&Trained::skew_ms), "ms", {Notation::kSignificant, 3}},
    {"backward", "Backward", of(&Trained::backward_ms), "ms"},
    {"stretch",
     "Stretched by",
     [](const SchemeRow& row) { return Value(row.stretch); },
     "%",
     {Notation::kPercent}},
    {"exchange", "Exchange", of(&Trained::exchange_ms), "ms"},
    {"communication", "Communication", of_trace(&Trained::communication_ms), "ms"},
    {"exposed", "Exposed", of_trace(&Trained::exposed_ms), "ms"},
    {"hidden", "Hidden", of_trace(&Trained::hidden_share), "%", {Notation::kPercent}},
    {"peak", "Peak", of(&Trained::peak_bytes), "GiB", {Notation::kGibibytes}}};

struct RankRow {
  std::string scheme, network;  ///< Same words as in `SchemeRow`.
  std::optional<double> rank;
  Value mean;
  std::optional<double> median, lag, forward, backward, exchange, optimizer, communication, both;
};

std::optional<double> ms(const MeasuredRow& row, std::string_view name) {
  const auto ns = row.number(name);
  return ns ? std::optional(*ns / kNanosecondsPerMillisecond) : std::nullopt;
}

const std::vector<Column<RankRow>> kRankColumns{
    {"scheme", "Gradients", &RankRow::scheme},
    {"network", "Network",
     [](const RankRow& row) { return row.network.empty() ? Value() : Value(row.network); }},
    {"rank", "Rank", &RankRow::rank, "", {Notation::kCount}},
    {"mean", "Step", &RankRow::mean, "ms"},
    {"median", "Median", &RankRow::median, "ms"},
    {"lag", "Start after the first", &RankRow::lag, "µs", {Notation::kSignificant, 3}},
    {"forward", "Forward", &RankRow::forward, "ms"},
    {"backward", "Backward", &RankRow::backward, "ms"},
    {"exchange", "Exchange", &RankRow::exchange, "ms"},
    {"optimizer", "Optimizer", &RankRow::optimizer, "ms"},
    {"communication", "Communication", &RankRow::communication, "ms"},
    {"both", "Of it hidden", &RankRow::both, "ms"}};

RankRow rank_row(const Trained& trained, const std::string& network, const MeasuredRow& row) {
  const auto mean = ms(row, column::kMeanNs), stddev = ms(row, column::kStddevNs);
  const auto lag = row.number(column::kLagNs);
  return {trained.words(),
          network,
          row.number(column::kRank),
          mean && stddev ? Value(*mean, *stddev) : Value(mean),
          ms(row, column::kMedianNs),
          lag ? std::optional(*lag / kNsPerUs) : std::nullopt,
          ms(row, phase_column(metric::kForward)),
          ms(row, phase_column(metric::kBackward)),
          ms(row, phase_column(metric::kExchange)),
          ms(row, phase_column(metric::kOptimizer)),
          trained.disturbed ? std::nullopt : ms(row, column::kCommunicationNs),
          trained.disturbed ? std::nullopt : ms(row, column::kBothNs)};
}

template <typename Visit>
void each(const std::vector<Network>& networks, std::initializer_list<Scheme> wanted,
          const Visit& visit) {
  for (const Network& network : networks) {
    for (const Trained& trained : network.schemes) {
      if (std::ranges::find(wanted, trained.scheme()) != wanted.end()) visit(network, trained);
    }
  }
}

/// The communication library; it is the same in all launches of a run.
std::string library(const std::vector<Network>& networks) {
  for (const Network& network : networks) {
    for (const Trained& trained : network.schemes) {
      const Launch* launch = ok_launch(*trained.cell);
      const Metric* told = launch == nullptr
                               ? nullptr
                               : launch->find_condition(metric::kCollectives, metric::kLibrary);
      const auto* scalar = told == nullptr ? nullptr : std::get_if<Scalar>(&told->data);
      const auto* text = scalar == nullptr ? nullptr : std::get_if<std::string>(scalar);
      if (text != nullptr) return *text;
    }
  }
  return "";
}

/// Lists each network once, whatever its contexts and precisions.
std::vector<Facts> sizes_of(const std::vector<Network>& networks) {
  std::vector<ModelShape> known;
  std::vector<Facts> sizes;
  for (const Network& network : networks) {
    const ModelShape& shape = *network.spec.model;
    if (std::ranges::find(known, shape) != known.end()) continue;
    known.push_back(shape);
    sizes.emplace_back()
        .set("size", network.spec.size)
        .set("parameters", format_count(parameter_count(shape)))
        .set("tensors", format_count(std::ssize(network.gradients())))
        .set("bytes", megabytes(network.total_bytes()));
  }
  return sizes;
}

/// "512", "128 or 512"
std::string contexts_of(const std::vector<Network>& networks) {
  std::vector<std::string> contexts;
  for (const Network& network : networks) {
    const std::string context = format_count(network.spec.context.value_or(0));
    if (std::ranges::find(contexts, context) == contexts.end()) contexts.push_back(context);
  }
  return fmt::format("{}", fmt::join(contexts, " or "));
}

}  // namespace

Dataset schemes_dataset(const std::vector<Network>& networks,
                        std::initializer_list<Scheme> wanted) {
  std::vector<SchemeRow> rows;
  each(networks, wanted, [&](const Network& network, const Trained& trained) {
    const std::string words = networks.size() > 1 ? network.words : std::string();
    rows.push_back({words, &trained, added_value(network, trained), network.stretch(trained)});
  });
  return make_dataset("schemes", kSchemeColumns, rows);
}

Dataset ranks_dataset(const std::vector<Network>& networks, std::initializer_list<Scheme> wanted) {
  std::vector<RankRow> rows;
  each(networks, wanted, [&](const Network& network, const Trained& trained) {
    const Launch* launch = ok_launch(*trained.cell);
    if (launch == nullptr) return;
    for (const MeasuredRow& row : measured_rows(*launch, metric::kRankSteps)) {
      rows.push_back(rank_row(trained, networks.size() > 1 ? network.words : "", row));
    }
  });
  return make_dataset("by-rank", kRankColumns, rows);
}

const Network* foremost(const std::vector<Network>& networks, Scheme scheme) {
  const Network* found = nullptr;
  for (const Network& network : networks) {
    const bool larger = found == nullptr || network.total_bytes() > found->total_bytes();
    if (network.ran(scheme) != nullptr && larger) found = &network;
  }
  return found;
}

std::optional<bool> differ(const Trained* a, const Trained* b) {
  if (a == nullptr || b == nullptr || a->steps_ms.empty() || b->steps_ms.empty()) {
    return std::nullopt;
  }
  const double apart = std::abs(*a->step_ms() - *b->step_ms());
  return apart > sample_stddev(a->steps_ms) + sample_stddev(b->steps_ms);
}

Value added_value(const Network& network, const Trained& trained) {
  const auto added = network.added_ms(trained);
  if (!added) return {};
  if (!*differ(&trained, network.ran(Scheme::kNone))) {
    return Value::missing("within the deviations of both steps");
  }
  return *added > 0 ? Value(*added) : Value::missing("the step without communication is longer");
}

void add_conditions(Facts& facts, const RunView& view, const std::vector<Network>& networks) {
  const CellSpec& spec = networks.front().spec;
  const std::int64_t ranks = spec.ranks->count;
  facts.flag("gpu", spec.device == DeviceKind::kCuda).flag("cpu", spec.device == DeviceKind::kCpu);
  const std::string told = library(networks);
  facts.set("library", told.empty() ? describe(spec.ranks->collectives) : std::string_view(told));
  facts.set("ranks", format_count(ranks));
  facts.set("share", format_count(spec.batch.value_or(0)));
  facts.set("whole", format_count(spec.batch.value_or(0) * ranks));
  facts.set("context", contexts_of(networks));
  facts.set("warmup", format_count(spec.warmup.value_or(0)));
  facts.set("steps", format_count(spec.steps.value_or(0)));
  facts.list("sizes", sizes_of(networks));
  facts.flag("extra", view.edition().name != "2025");
}

void add_cells(PartContent& part, const RunView& view, const std::vector<Network>& networks,
               std::initializer_list<Scheme> wanted, const std::string& letter) {
  each(networks, wanted,
       [&](const Network&, const Trained& trained) { part.cells.push_back(trained.cell); });
  part.details.tables.push_back(
      command_table(view.run(), kProblem + ("." + letter), {part.cells.front()}));
}

}  // namespace labreport::data_parallel
