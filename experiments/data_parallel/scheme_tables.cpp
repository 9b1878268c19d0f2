#include "experiments/data_parallel/scheme_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "experiments/common/bytes.h"
#include "experiments/common/command.h"
#include "results/metric_names.h"
#include "results/run_labels.h"
#include "results/table_shapes.h"

namespace labreport::data_parallel {
namespace {

constexpr const char* kTracedAllReduces = "Traced all-reduces";

struct SchemeRow {
  std::string network;  ///< Empty if the run has only one.
  const SchemeResult* result;
  Value added_ms;
  std::optional<double> saved_fraction, backward_stretch, contention_ms;
  std::vector<std::string> flags;
};

template <typename Field>
std::function<Value(const SchemeRow&)> value_of(Field field) {
  return [field](const SchemeRow& row) {
    return row.result->value_or_reason(std::invoke(field, row.result));
  };
}

template <typename Field>
std::function<Value(const SchemeRow&)> traced_value(Field field) {
  return [field](const SchemeRow& row) {
    return row.result->traced_value_or_reason(std::invoke(field, row.result));
  };
}

const std::vector<Column<SchemeRow>> kSchemeColumns{
    {"scheme", "Gradients", [](const SchemeRow& row) { return Value(row.result->words()); }},
    {"network", "Network",
     [](const SchemeRow& row) { return row.network.empty() ? Value() : Value(row.network); }},
    {"calls", "All-reduces",
     [](const SchemeRow& row) {
       const std::string& reason = row.result->reason;
       return reason.empty() ? Value(row.result->all_reduce_count) : Value::missing(reason);
     },
     "", kAsCount},
    {"collectives", "Collectives",
     [](const SchemeRow& row) {
       const std::string& words = row.result->collectives;
       return words.empty() ? Value::missing(row.result->reason) : Value(words);
     }},
    {"step", "Step", [](const SchemeRow& row) { return row.result->step_or_reason(); }, "ms"},
    {"rank0", "Rank 0’s", value_of(&SchemeResult::rank0_ms), "ms"},
    {"added", "Added", &SchemeRow::added_ms, "ms"},
    {"saved", "Saved", &SchemeRow::saved_fraction, "%", kAsPercent},
    {"backward", "Backward", value_of(&SchemeResult::backward_ms), "ms"},
    {"stretch", "Stretched by", &SchemeRow::backward_stretch, "%", kAsPercent},
    {"contention", "Contention", &SchemeRow::contention_ms, "ms"},
    {"exchange", "Exchange", value_of(&SchemeResult::exchange_ms), "ms"},
    {"communication", kTracedAllReduces, traced_value(&SchemeResult::communication_ms), "ms"},
    {"exposed", "Exposed", traced_value(&SchemeResult::exposed_ms), "ms"},
    {"overlapped", "Overlapped", traced_value(&SchemeResult::overlapped_fraction), "%", kAsPercent},
    {"peak", "Peak", value_of(&SchemeResult::peak_bytes), "GiB", {Notation::kGibibytes}},
    {"error",
     "Test network off by",
     [](const SchemeRow& row) { return Value(row.result->largest_relative_error); },
     "",
     {Notation::kNoTrailingZeros, 2}}};

struct RankRow {
  std::string scheme, network;  ///< `network` is empty if the run has only one.
  std::optional<double> rank;
  Value mean_ms;
  std::optional<double> forward_ms, backward_ms, exchange_ms, optimizer_ms, other_ms;
  std::optional<double> communication_ms, overlap_ms, peak_bytes;
  std::vector<std::string> flags;
};

const std::vector<Column<RankRow>> kRankColumns{
    {"scheme", "Gradients", &RankRow::scheme},
    {"network", "Network",
     [](const RankRow& row) { return row.network.empty() ? Value() : Value(row.network); }},
    {"rank", "Rank", &RankRow::rank, "", kAsCount},
    {"mean", "Step", &RankRow::mean_ms, "ms"},
    {"forward", "Forward", &RankRow::forward_ms, "ms"},
    {"backward", "Backward", &RankRow::backward_ms, "ms"},
    {"exchange", "Exchange", &RankRow::exchange_ms, "ms"},
    {"optimizer", "Optimizer", &RankRow::optimizer_ms, "ms"},
    {"other", "Other", &RankRow::other_ms, "ms"},
    {"communication", kTracedAllReduces, &RankRow::communication_ms, "ms"},
    {"both", "Of it overlapped", &RankRow::overlap_ms, "ms"},
    {"peak", "Peak", &RankRow::peak_bytes, "GiB", {Notation::kGibibytes}}};

template <typename Visit>
void each_scheme(const MeasuredNetworks& networks, std::initializer_list<Scheme> schemes,
                 const Visit& visit) {
  for (const MeasuredNetwork& network : networks) {
    for (const SchemeResult& result : network.schemes) {
      if (std::ranges::find(schemes, result.scheme()) != schemes.end()) visit(network, result);
    }
  }
}

bool has_users_code(const MeasuredNetworks& networks) {
  return std::ranges::any_of(networks, [](const MeasuredNetwork& network) {
    return network.find(Scheme::kOwnStep) != nullptr;
  });
}

/// Calls all-reduces collectives if code of the user's is among the schemes.
Dataset named_by_contents(Dataset dataset, const MeasuredNetworks& networks) {
  if (!has_users_code(networks)) return dataset;
  for (DataColumn& column : dataset.columns) {
    if (column.title == kTracedAllReduces) column.title = "Traced collectives";
  }
  return dataset;
}

/// Names the run's only communication library, with its version if a launch recorded it.
std::string library_words(const MeasuredNetworks& networks) {
  for (const MeasuredNetwork& network : networks) {
    for (const SchemeResult& result : network.schemes) {
      const Launch* launch = ok_launch(*result.cell);
      const std::string recorded = launch == nullptr ? "" : library_text(*launch, metric::kLibrary);
      if (!recorded.empty()) return recorded;
    }
  }
  return std::string(describe(networks.front().spec.ranks->collectives));
}

/// Lists each model shape once, whatever its contexts and precisions.
std::vector<Facts> size_facts(const MeasuredNetworks& networks) {
  std::vector<ModelShape> known;
  std::vector<Facts> sizes;
  for (const MeasuredNetwork& network : networks) {
    const ModelShape& shape = *network.spec.model;
    if (std::ranges::find(known, shape) != known.end()) continue;
    known.push_back(shape);
    sizes.emplace_back()
        .set("size", network.spec.size)
        .set("parameters", format_count(parameter_count(shape)))
        .set("tensors", format_count(std::ssize(network.bytes_of_each_gradient())))
        .set("bytes", size_words(network.total_gradient_bytes()));
  }
  return sizes;
}

}  // namespace

Dataset schemes_dataset(const MeasuredNetworks& networks, std::initializer_list<Scheme> schemes) {
  std::vector<SchemeRow> rows;
  each_scheme(networks, schemes, [&](const MeasuredNetwork& network, const SchemeResult& result) {
    const std::string words = networks.size() > 1 ? network.words : std::string();
    const auto contention = network.traced_contention(result);
    rows.push_back({words, &result, added_ms_or_reason(network, result),
                    saved_fraction(network, result), network.backward_stretch(result),
                    contention ? std::optional(contention->longer_ms) : std::nullopt,
                    result.flags()});
  });
  return named_by_contents(make_dataset("schemes", kSchemeColumns, rows), networks);
}

Dataset ranks_dataset(const MeasuredNetworks& networks, std::initializer_list<Scheme> schemes) {
  std::vector<RankRow> rows;
  each_scheme(networks, schemes, [&](const MeasuredNetwork& network, const SchemeResult& result) {
    const Launch* launch = ok_launch(*result.cell);
    if (launch == nullptr) return;
    for (const MeasuredRow& row : measured_rows(*launch, metric::kRankSteps)) {
      const auto mean = milliseconds_in(row, column::kMeanNs);
      const auto stddev = milliseconds_in(row, column::kStddevNs);
      const auto traced_ms = [&](std::string_view name) {
        return result.traced_slowdown ? std::nullopt : milliseconds_in(row, name);
      };
      rows.push_back(
          {.scheme = result.words(),
           .network = networks.size() > 1 ? network.words : "",
           .rank = row.number(column::kRank),
           .mean_ms = mean && stddev ? Value(*mean, *stddev) : Value(mean),
           .forward_ms = milliseconds_in(row, phase_column(metric::kForward)),
           .backward_ms = milliseconds_in(row, phase_column(metric::kBackward)),
           .exchange_ms = milliseconds_in(row, phase_column(metric::kExchange)),
           .optimizer_ms = milliseconds_in(row, phase_column(metric::kOptimizer)),
           .other_ms = milliseconds_in(row, phase_column(metric::kOther)),
           .communication_ms = traced_ms(column::kCommunicationNs),
           .overlap_ms = result.tells_overlap() ? traced_ms(column::kOverlapNs) : std::nullopt,
           .peak_bytes = row.number(column::kPeakAllocated),
           .flags = result.flags()});
    }
  });
  return named_by_contents(make_dataset("by-rank", kRankColumns, rows), networks);
}

const MeasuredNetwork* largest_network(const MeasuredNetworks& networks, Scheme scheme) {
  const MeasuredNetwork* largest = nullptr;
  for (const MeasuredNetwork& network : networks) {
    const bool larger =
        largest == nullptr || network.total_gradient_bytes() > largest->total_gradient_bytes();
    if (network.find_timed(scheme) != nullptr && larger) largest = &network;
  }
  return largest;
}

std::optional<bool> steps_differ(const SchemeResult* a, const SchemeResult* b) {
  if (a == nullptr || b == nullptr || a->steps_ms.empty() || b->steps_ms.empty()) {
    return std::nullopt;
  }
  const double difference = std::abs(*a->step_ms() - *b->step_ms());
  return difference > sample_stddev(a->steps_ms) + sample_stddev(b->steps_ms);
}

Value added_ms_or_reason(const MeasuredNetwork& network, const SchemeResult& result) {
  const auto added_ms = network.added_ms(result);
  if (!added_ms) return {};
  if (!*steps_differ(&result, network.find_timed(Scheme::kNone))) {
    return Value::missing("within the deviations of both steps");
  }
  return *added_ms > 0 ? Value(*added_ms)
                       : Value::missing("the step without communication is longer");
}

std::optional<double> saved_fraction(const MeasuredNetwork& network, const SchemeResult& result) {
  const SchemeResult* naive = network.find_timed(Scheme::kPerParameter);
  if (!steps_differ(naive, &result).value_or(false)) return std::nullopt;
  const auto added_ms = network.added_ms(result), naive_ms = network.added_ms(*naive);
  if (!added_ms || !naive_ms || *naive_ms <= 0) return std::nullopt;
  return 1 - *added_ms / *naive_ms;
}

void add_conditions(Facts& facts, const RunView& view, const MeasuredNetworks& networks) {
  const CellSpec& spec = networks.front().spec;
  const std::int64_t ranks = spec.ranks->count;
  facts.flag("gpu", spec.device == DeviceKind::kCuda).flag("cpu", spec.device == DeviceKind::kCpu);
  const std::vector<std::string> contexts =
      distinct(each(networks, [](const MeasuredNetwork& network) {
        return format_count(network.spec.context.value_or(0));
      }));
  facts.set("library", library_words(networks));
  facts.set("ranks", format_count(ranks));
  facts.set("share", format_count(spec.batch.value_or(0)));
  facts.set("whole", format_count(spec.batch.value_or(0) * ranks));
  facts.set("context", fmt::format("{}", fmt::join(contexts, " or ")));
  facts.set("warmup", format_count(spec.warmup.value_or(0)));
  facts.set("steps", format_count(spec.steps.value_or(0)));
  facts.list("sizes", size_facts(networks));
  facts.flag("extra", view.edition().name != kEdition2025);
  facts.flag("container", has_users_code(networks));
  facts.flag("kernels", std::ranges::any_of(networks, [](const MeasuredNetwork& network) {
               return std::ranges::any_of(network.schemes, [&](const SchemeResult& result) {
                 return network.traced_contention(result).has_value();
               });
             }));
}

void add_cells(PartContent& part, const RunView& view, const MeasuredNetworks& networks,
               std::initializer_list<Scheme> schemes, const std::string& letter) {
  each_scheme(networks, schemes, [&](const MeasuredNetwork&, const SchemeResult& result) {
    part.cells.push_back(result.cell);
  });
  part.details.tables.push_back(command_table(view.run(), kProblem + ("." + letter), part.cells));
}

}  // namespace labreport::data_parallel
