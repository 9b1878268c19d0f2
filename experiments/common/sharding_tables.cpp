#include "experiments/common/sharding_tables.h"

#include <algorithm>
#include <cmath>
#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "experiments/common/bytes.h"
#include "results/metric_names.h"

namespace labreport::sharding {
namespace {

struct PointRow {
  const TrainedNetwork* network;
  const ShardingScheme* scheme;
  const Stage* stage;  ///< Null if the scheme has no numbers.

  Value or_reason(const std::function<Value(const Stage&)>& value) const {
    return stage == nullptr ? Value::missing(scheme->reason) : value(*stage);
  }
};

ByteUnit unit_of(const std::vector<TrainedNetwork>& networks) {
  double highest_peak = 0;
  for (const TrainedNetwork& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) {
      for (const Stage& stage : scheme.stages)
        highest_peak = std::max(highest_peak, stage.point.peak);
    }
  }
  return byte_unit(highest_peak);
}

std::vector<Column<PointRow>> point_columns(const std::vector<TrainedNetwork>& networks) {
  const std::string unit = unit_of(networks).name;
  const Notation notation{unit == "GiB" ? Notation::kGibibytes : Notation::kMebibytes};
  const auto stage_column = [&](const char* name, const char* title, auto value) {
    return Column<PointRow>{
        name, title, [value](const PointRow& row) { return row.or_reason(value); }, unit, notation};
  };
  const auto bytes_column = [&](const char* name, const char* title, double MemoryPoint::* member) {
    return stage_column(name, title,
                        [member](const Stage& stage) { return Value(stage.point.*member); });
  };
  return {
      {"network", "Network", [](const PointRow& row) { return row.network->words; }},
      {"scheme", "Scheme", [](const PointRow& row) { return row.scheme->words(); }},
      {"when", "Step", [](const PointRow& row) { return row.or_reason(&Stage::when_words); }},
      {"point", "Point", [](const PointRow& row) { return row.or_reason(&Stage::point_words); }},
      bytes_column("peak", "Peak since the point before", &MemoryPoint::peak),
      stage_column("peak_formula", "Its formula",
                   [](const Stage& stage) {
                     return stage.expected_peak
                                ? Value(static_cast<double>(stage.expected_peak->total()))
                                : Value();
                   }),
      stage_column("peak_gradients", "Gradients in the peak", &Stage::gradients_in_peak),
      stage_column("peak_rest", "The rest of the peak", &Stage::rest_of_peak),
      stage_column("high", "High-water mark", &Stage::peak_so_far),
      bytes_column("allocated", "Allocated there", &MemoryPoint::allocated),
      stage_column("allocated_formula", "Formula", &Stage::expected_allocated),
      bytes_column("parameters", "Parameters", &MemoryPoint::parameters),
      bytes_column("gradients", "Gradients", &MemoryPoint::gradients),
      bytes_column("optimizer", "Optimizer state", &MemoryPoint::optimizer),
      stage_column("rest", "Activations and the rest", [](const Stage& stage) {
        const MemoryPoint& point = stage.point;
        const double rest = point.allocated - point.parameters - point.gradients - point.optimizer;
        return rest >= 0 ? Value(rest) : Value::missing("the parts exceed their sum");
      })};
}

/// One part of a stack; `from` and `to` are in the table's unit of bytes.
struct StackRow {
  std::string stack, part;
  double from, to;
  std::string text;
};

/// Adds a row for each part of a stage's peak, even for a part of 0 bytes, so that all stacks have
/// the same order. The rest is activations and temporaries.
void add_stack(std::vector<StackRow>& rows, const std::string& name, const Stage& stage,
               double bytes_per_unit) {
  const std::pair<const char*, double> parts[]{{"parameters", stage.point.parameters},
                                               {"gradients", stage.gradients_in_peak()},
                                               {"optimizer state", stage.point.optimizer},
                                               {"the rest", stage.rest_of_peak()}};
  double from = 0;
  for (const auto& [part, bytes] : parts) {
    const double to = from + bytes / bytes_per_unit;
    rows.push_back({name, part, from, to, ""});
    from = to;
  }
  rows.back().text = format_bytes(stage.point.peak);
}

/// Returns a scheme's name, short enough for a phone: "BF16, sharded AdamW". It begins with the
/// precision, or with the network's name if sizes differ. A single network has neither.
std::string scheme_name(const std::vector<TrainedNetwork>& networks, const TrainedNetwork& network,
                        const ShardingScheme& scheme) {
  const Sharding sharding = scheme.sharding();
  std::string name;
  if (networks.size() > 1) {
    const bool one_size = std::ranges::all_of(networks, [&](const TrainedNetwork& other) {
      return other.spec().size == network.spec().size;
    });
    name = (one_size ? std::string(describe(*network.spec().precision)) : network.words) + ", ";
  }
  if (scheme.is_users()) return name + scheme.words();
  return name + (sharding == Sharding::kNone        ? "whole"
                 : sharding == Sharding::kOptimizer ? "sharded AdamW"
                                                    : "FSDP");
}

struct TimeRow {
  const TrainedNetwork* network;
  const ShardingScheme* scheme;
  std::vector<std::string> flags;
};

/// Gives data_parallel's time of the same training if deviations do not hide the difference, and
/// the reason if the all-reduces differ by about as much.
std::vector<std::string> flags_of(const TrainedNetwork& network, const ShardingScheme& scheme) {
  constexpr double kMinExplained = 0.7;
  if (scheme.sharding() != Sharding::kNone || scheme.steps_ms.empty() || !network.averaged)
    return {};
  const Summary own = summarize(scheme.steps_ms), other = summarize(network.averaged->steps_ms);
  const double longer_ms = own.mean - other.mean;
  if (std::abs(longer_ms) <= own.stddev + other.stddev) return {};
  const double explained =
      (scheme.phase_ms(metric::kAllReduce).value_or(0) - network.averaged->all_reduce_ms) /
      longer_ms;
  const bool is_explained = explained >= kMinExplained && explained <= 1 / kMinExplained;
  return {"in data_parallel " + format_value(other.mean, kThreeDigits) + " ms" +
          (is_explained ? ": NCCL averages there, a pass of its own divides here" : "")};
}

Column<TimeRow> phase_column(std::string_view phase, const char* title) {
  return {std::string(phase), title,
          [phase](const TimeRow& row) { return Value(row.scheme->phase_ms(phase)); }, "ms"};
}

const std::vector<Column<TimeRow>> kTimeColumns{
    {"network", "Network", [](const TimeRow& row) { return row.network->words; }},
    {"scheme", "Scheme", [](const TimeRow& row) { return row.scheme->words(); }},
    {"step", "Training step",
     [](const TimeRow& row) {
       return row.scheme->ran() ? Value::mean_of(row.scheme->steps_ms)
                                : Value::missing(row.scheme->reason);
     },
     "ms"},
    phase_column(metric::kForward, "Forward"),
    phase_column(metric::kBackward, "Backward"),
    phase_column(metric::kAllReduce, "All-reduce"),
    phase_column(metric::kOther, "Between phases"),
    phase_column(metric::kOptimizer, "Optimizer"),
    phase_column(metric::kBroadcast, "Broadcast")};

}  // namespace

Dataset points_data(const std::vector<TrainedNetwork>& networks) {
  std::vector<PointRow> rows;
  for (const TrainedNetwork& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) {
      if (!scheme.ran()) rows.push_back({&network, &scheme, nullptr});
      for (const Stage& stage : scheme.stages) rows.push_back({&network, &scheme, &stage});
    }
  }
  return make_dataset("points", point_columns(networks), rows);
}

Dataset stacks_data(const std::vector<TrainedNetwork>& networks, StackedPeaks peaks) {
  const ByteUnit unit = unit_of(networks);
  const std::string unit_name = unit.name;
  const std::vector<Column<StackRow>> columns{
      {"row", "Scheme and point", &StackRow::stack},
      {"part", "Part", &StackRow::part},
      {"from", "From", &StackRow::from, unit_name},
      {"to", "To", &StackRow::to, unit_name},
      {"text", "Peak", &StackRow::text},
      {"unit", "Unit", [unit_name](const StackRow&) { return unit_name; }}};
  std::vector<StackRow> rows;
  for (const TrainedNetwork& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) {
      const std::string name = scheme_name(networks, network, scheme);
      const auto later =
          only(scheme.stages, [](const Stage& stage) { return stage.when == When::kLaterStep; });
      if (peaks == StackedPeaks::kOfStep && !later.empty()) {
        const auto highest = [](const Stage& stage) { return stage.point.peak; };
        add_stack(rows, name, *largest(later, highest), unit.bytes_per_unit);
        continue;
      }
      for (const Stage& stage : later) {
        const bool before = stage.point.name == metric::kBeforeOptimizer;
        add_stack(rows, name + (before ? ", before" : ", after"), stage, unit.bytes_per_unit);
      }
    }
  }
  return make_dataset("stacks", columns, rows);
}

Dataset times_data(const std::vector<TrainedNetwork>& networks) {
  std::vector<TimeRow> rows;
  for (const TrainedNetwork& network : networks) {
    for (const ShardingScheme& scheme : network.schemes)
      rows.push_back({&network, &scheme, flags_of(network, scheme)});
  }
  return make_dataset("times", kTimeColumns, rows);
}

void set_conditions(Facts& facts, const RunView& view,
                    const std::vector<TrainedNetwork>& networks) {
  const CellSpec& spec = networks.front().spec();
  facts.set("ranks", format_count(spec.ranks->count));
  facts.set("library", describe(spec.ranks->collectives));
  facts.set("batch", format_count(spec.batch.value_or(0) * spec.ranks->count));
  facts.set("own_batch", format_count(spec.batch.value_or(0)));
  facts.set("context", format_count(spec.context.value_or(0)));
  // The worker makes at least two steps of warm-up, because the first creates AdamW's state.
  facts.set("warmup", format_count(std::max<std::int64_t>(2, spec.warmup.value_or(0))));
  facts.set("steps", format_count(spec.steps.value_or(0)));
  facts.flag("gpu", view.on_gpu());
  facts.flag("container", std::ranges::any_of(networks, [](const TrainedNetwork& network) {
               return network.schemes.front().is_users();
             }));
}

void list_diverging_losses(Facts& facts, const std::vector<TrainedNetwork>& networks,
                           Sharding sharding, double tolerance,
                           std::optional<double> autocast_tolerance) {
  constexpr std::size_t kLossesAroundFirstUpdate = 2;
  std::vector<Facts> diverging;
  for (const TrainedNetwork& network : networks) {
    const ShardingScheme* plain = network.labreports(Sharding::kNone);
    const ShardingScheme* sharded = network.labreports(sharding);
    if (plain == nullptr || sharded == nullptr) continue;
    const bool first_update_only = autocast_tolerance && under_autocast(network.spec());
    std::size_t count = std::min(plain->losses.size(), sharded->losses.size());
    if (first_update_only) count = std::min(count, kLossesAroundFirstUpdate);
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (plain->losses[i] == 0) continue;
      largest = std::max(largest, std::abs(sharded->losses[i] / plain->losses[i] - 1));
    }
    if (largest <= (first_update_only ? *autocast_tolerance : tolerance)) continue;
    diverging.emplace_back()
        .set("network", network.words)
        .flag("first", first_update_only)
        .set("difference", Value(largest), {Notation::kRelativeError, 2});
  }
  facts.list("apart", std::move(diverging));
}

}  // namespace labreport::sharding
