#include "experiments/optimizer_state_sharding_accounting/tables.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/format.h"
#include "base/statistics.h"
#include "experiments/memory_profiling/bytes.h"
#include "results/metric_names.h"

namespace labreport::optimizer_state_sharding_accounting {
namespace {

struct PointRow {
  const Trained* network;
  const ShardingScheme* scheme;
  const Stage* stage;  ///< Null if the scheme has no numbers.

  Value or_reason(const std::function<Value(const Stage&)>& value) const {
    return stage == nullptr ? Value::missing(scheme->reason) : value(*stage);
  }
};

Column<PointRow> bytes_column(const char* name, const char* title, double Point::* bytes,
                              const std::string& unit, const Notation& notation) {
  return {name, title,
          [bytes](const PointRow& row) {
            return row.or_reason([&](const Stage& stage) { return stage.point.*bytes; });
          },
          unit, notation};
}

Value rest_of(const Stage& stage) { return stage.point.allocated - stage.point.known(); }

memory_profiling::ByteUnit unit_of(const std::vector<Trained>& networks) {
  double most = 0;
  for (const Trained& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) {
      for (const Stage& stage : scheme.stages) most = std::max(most, stage.point.peak);
    }
  }
  return memory_profiling::byte_unit(most);
}

std::vector<Column<PointRow>> point_columns(const std::vector<Trained>& networks) {
  const std::string unit = unit_of(networks).name;
  const Notation bytes{unit == "GiB" ? Notation::kGibibytes : Notation::kMebibytes};
  const auto stage_column = [&](const char* name, const char* title, auto value) {
    return Column<PointRow>{
        name, title, [value](const PointRow& row) { return row.or_reason(value); }, unit, bytes};
  };
  return {{"network", "Network", [](const PointRow& row) { return row.network->words; }},
          {"scheme", "Scheme", [](const PointRow& row) { return row.scheme->words(); }},
          {"when", "Step",
           [](const PointRow& row) {
             return row.or_reason([](const Stage& stage) { return stage.when_words(); });
           }},
          {"point", "Point",
           [](const PointRow& row) {
             return row.or_reason([](const Stage& stage) { return stage.point_words(); });
           }},
          bytes_column("peak", "Peak since the point before", &Point::peak, unit, bytes),
          {"peak_formula", "Its formula",
           [](const PointRow& row) {
             return row.stage == nullptr ? Value() : Value(row.scheme->expected_peak(*row.stage));
           },
           unit, bytes},
          stage_column("high", "High-water mark",
                       [](const Stage& stage) { return Value(stage.high_water); }),
          bytes_column("allocated", "Allocated there", &Point::allocated, unit, bytes),
          {"allocated_formula", "Formula",
           [](const PointRow& row) {
             return row.stage == nullptr ? Value()
                                         : Value(row.scheme->expected_allocated(*row.stage));
           },
           unit, bytes},
          bytes_column("parameters", "Parameters", &Point::parameters, unit, bytes),
          bytes_column("gradients", "Gradients", &Point::gradients, unit, bytes),
          bytes_column("optimizer", "Optimizer state", &Point::optimizer, unit, bytes),
          stage_column("rest", "Activations and the rest", rest_of)};
}

std::vector<PointRow> point_rows(const std::vector<Trained>& networks) {
  std::vector<PointRow> rows;
  for (const Trained& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) {
      if (!scheme.ran()) rows.push_back({&network, &scheme, nullptr});
      for (const Stage& stage : scheme.stages) rows.push_back({&network, &scheme, &stage});
    }
  }
  return rows;
}

struct StackRow {
  std::string row, part;
  double from, to;
  std::string text;
};

std::vector<Column<StackRow>> stack_columns(const std::string& unit) {
  return {{"row", "Scheme and point", &StackRow::row},
          {"part", "Part", &StackRow::part},
          {"from", "From", &StackRow::from, unit},
          {"to", "To", &StackRow::to, unit},
          {"text", "Peak", &StackRow::text},
          {"unit", "Unit", [unit](const StackRow&) { return unit; }}};
}

/// Adds every part of every row, so that their order is the same everywhere. The peak's part above
/// what the point is known to hold is the rest: activations and temporaries.
void add_stack(std::vector<StackRow>& rows, const std::string& name, const Stage& stage,
               double unit) {
  const Point& point = stage.point;
  const std::pair<const char*, double> parts[]{
      {"parameters", point.parameters},
      {"gradients", point.gradients},
      {"optimizer state", point.optimizer},
      {"the rest", std::max(0.0, point.peak - point.known())}};
  double from = 0;
  for (const auto& [part, bytes] : parts) {
    const double to = from + bytes / unit;
    rows.push_back({name, part, from, to, ""});
    from = to;
  }
  rows.back().text = format_bytes(point.peak);
}

std::string short_point(const Stage& stage) {
  if (stage.when == When::kModel) return "init";
  return stage.point.name == metric::kBeforeOptimizer ? "before" : "after";
}

struct TimeRow {
  const Trained* network;
  const ShardingScheme* scheme;
};

Column<TimeRow> phase_column(std::string_view phase, const char* title) {
  return {std::string(phase), title,
          [phase](const TimeRow& row) {
            const auto found = row.scheme->phases_ms.find(std::string(phase));
            if (found == row.scheme->phases_ms.end() || found->second.empty()) return Value();
            return Value(median(found->second));
          },
          "ms"};
}

std::vector<Column<TimeRow>> time_columns() {
  return {{"network", "Network", [](const TimeRow& row) { return row.network->words; }},
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
          phase_column(metric::kOptimizer, "Optimizer"),
          phase_column(metric::kBroadcast, "Broadcast")};
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != 0) largest = std::max(largest, std::abs(b[i] / a[i] - 1));
  }
  return largest;
}

}  // namespace

Dataset points_data(const std::vector<Trained>& networks) {
  return make_dataset("points", point_columns(networks), point_rows(networks));
}

/// Short enough for a phone.
std::string row_word(Sharding sharding) {
  if (sharding == Sharding::kNone) return "whole";
  return sharding == Sharding::kOptimizer ? "sharded" : "FSDP";
}

/// The precision, or the network's name, if the run has several networks.
std::string network_word(const std::vector<Trained>& networks, const Trained& network) {
  if (networks.size() == 1) return "";
  const bool one_size = std::ranges::all_of(
      networks, [&](const Trained& other) { return other.spec().size == network.spec().size; });
  return (one_size ? std::string(describe(*network.spec().precision)) : network.words) + " ";
}

Dataset stacks_data(const std::vector<Trained>& networks) {
  const memory_profiling::ByteUnit unit = unit_of(networks);
  std::vector<StackRow> rows;
  for (const Trained& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) {
      for (const Stage& stage : scheme.stages) {
        if (stage.when == When::kFirstStep) continue;
        add_stack(rows,
                  network_word(networks, network) + row_word(scheme.sharding()) + ", " +
                      short_point(stage),
                  stage, unit.bytes);
      }
    }
  }
  return make_dataset("stacks", stack_columns(unit.name), rows);
}

Dataset times_data(const std::vector<Trained>& networks) {
  std::vector<TimeRow> rows;
  for (const Trained& network : networks) {
    for (const ShardingScheme& scheme : network.schemes) rows.push_back({&network, &scheme});
  }
  return make_dataset("times", time_columns(), rows);
}

void set_conditions(Facts& facts, const RunView& view, const std::vector<Trained>& networks) {
  const CellSpec& spec = networks.front().spec();
  facts.set("ranks", format_count(spec.ranks->count));
  facts.set("library", describe(spec.ranks->collectives));
  facts.set("batch", format_count(spec.batch.value_or(0) * spec.ranks->count));
  facts.set("own_batch", format_count(spec.batch.value_or(0)));
  facts.set("context", format_count(spec.context.value_or(0)));
  facts.set("warmup", format_count(std::max<std::int64_t>(2, spec.warmup.value_or(0))));
  facts.set("steps", format_count(spec.steps.value_or(0)));
  facts.flag("gpu", view.on_gpu());
}

void set_apart(Facts& facts, const std::vector<Trained>& networks, Sharding sharding,
               double tolerance, std::optional<double> in_half) {
  constexpr std::size_t kBeforeRoundingGrows = 2;
  std::vector<Facts> apart;
  for (const Trained& network : networks) {
    const ShardingScheme* plain = network.find(Sharding::kNone);
    const ShardingScheme* other = network.find(sharding);
    if (plain == nullptr || other == nullptr) continue;
    const bool first = in_half && under_autocast(network.spec());
    const auto compared = [&](const std::vector<double>& losses) {
      return std::span(losses).first(first ? std::min(losses.size(), kBeforeRoundingGrows)
                                           : losses.size());
    };
    const double difference = largest_difference(compared(plain->losses), compared(other->losses));
    if (difference <= (first ? *in_half : tolerance)) continue;
    apart.emplace_back()
        .set("network", network.words)
        .flag("first", first)
        .set("difference", Value(difference), {Notation::kRelativeError, 2});
  }
  facts.list("apart", std::move(apart));
}

}  // namespace labreport::optimizer_state_sharding_accounting
