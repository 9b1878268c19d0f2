#include "writers/csv/cells_csv.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/statistics.h"
#include "base/text.h"
#include "document/view.h"
#include "results/cell_columns.h"
#include "results/metric_names.h"
#include "results/run_json_keys.h"

namespace labreport {
namespace {

void append(CsvFields& fields, const CsvFields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

constexpr double kSecondsPerNanosecond = 1e-9;
constexpr double kHertzPerMegahertz = 1e6;
constexpr const char* kStatistics[] = {".mean", ".stddev", ".min", ".median", ".max"};

struct SiUnit {
  std::string name;
  double factor = 1;
};

SiUnit si_unit(const std::string& unit) {
  if (unit == "ns") return {"s", kSecondsPerNanosecond};
  if (unit == "MHz") return {"Hz", kHertzPerMegahertz};
  return {unit == "1" ? "" : unit, 1};
}

CsvField heading_with_unit(const std::string& name, const std::string& unit) {
  return csv_text(unit.empty() ? name : name + " (" + unit + ")");
}

/// Returns the samples after the warm-up if each step has one, else all samples.
std::vector<double> counted_samples(const Metric& metric, const CellSpec& spec) {
  const std::vector<double> all = metric.numbers();
  const auto warmup = static_cast<std::size_t>(spec.warmup.value_or(0));
  const auto steps = static_cast<std::size_t>(spec.steps.value_or(0));
  return steps > 0 && all.size() == warmup + steps ? window(all, warmup, steps) : all;
}

/// Columns of all metrics and conditions, in the order in which they first appear.
class MetricColumns {
 public:
  explicit MetricColumns(const Run& run) {
    for (const Cell& cell : run.cells) {
      for (const Launch& launch : cell.launches) {
        add(launch.metrics, false);
        add(launch.conditions, true);
      }
    }
  }

  CsvFields headings() const {
    CsvFields headings;
    for (const Column& column : columns_) {
      const std::string name = column.tag + "." + column.name;
      if (!column.is_samples) {
        headings.push_back(heading_with_unit(name, column.unit.name));
      } else if (column.is_sum()) {
        headings.push_back(heading_with_unit(name + ".last", column.unit.name));
      } else {
        headings.push_back(csv_text(name + ".count"));
        for (const char* statistic : kStatistics)
          headings.push_back(heading_with_unit(name + statistic, column.unit.name));
      }
    }
    return headings;
  }

  /// Returns one field for each heading; a field is empty if the launch lacks the metric.
  CsvFields fields(const Cell& cell, const Launch& launch) const {
    CsvFields fields;
    for (const Column& column : columns_) {
      const Metric* metric = column.is_condition ? launch.find_condition(column.tag, column.name)
                                                 : launch.find(column.tag, column.name);
      if (column.is_samples) {
        add_samples(
            fields, column,
            metric == nullptr ? std::vector<double>() : counted_samples(*metric, cell.spec));
        continue;
      }
      CsvField& value = fields.emplace_back();
      if (metric == nullptr) continue;
      const auto* scalar = std::get_if<Scalar>(&metric->data);
      const auto* text = scalar == nullptr ? nullptr : std::get_if<std::string>(scalar);
      if (const auto number = metric->number()) {
        value = csv_number(*number * column.unit.factor);
      } else if (text != nullptr) {
        value = csv_text(*text);
      }
    }
    return fields;
  }

 private:
  struct Column {
    std::string tag, name;
    SiUnit unit;
    bool is_samples = false;
    bool is_condition = false;

    bool is_sum() const { return tag == metric::kRunningSum || tag == metric::kHostRunningSum; }
  };

  void add(const std::vector<Metric>& metrics, bool is_condition) {
    for (const Metric& metric : metrics) {
      const auto found = std::ranges::find_if(columns_, [&](const Column& column) {
        return column.tag == metric.tag && column.name == metric.name &&
               column.is_condition == is_condition;
      });
      if (found == columns_.end()) {
        columns_.push_back(
            {metric.tag, metric.name, si_unit(metric.unit), metric.is_samples(), is_condition});
      } else if (metric.is_samples()) {
        found->is_samples = true;  // An earlier launch recorded null instead.
      }
    }
  }

  static void add_samples(CsvFields& fields, const Column& column,
                          const std::vector<double>& samples) {
    if (samples.empty()) {
      fields.resize(fields.size() + (column.is_sum() ? 1 : 1 + std::size(kStatistics)));
      return;
    }
    const double factor = column.unit.factor;
    if (column.is_sum()) return fields.push_back(csv_number(samples.back() * factor));
    const Summary summary = summarize(samples);
    fields.push_back(csv_number(static_cast<std::int64_t>(summary.count)));
    for (const double value :
         {summary.mean, summary.stddev, summary.min, summary.median, summary.max}) {
      fields.push_back(csv_number(value * factor));
    }
  }

  std::vector<Column> columns_;
};

/// Returns the value of `key`; empty if it is absent or neither a number nor text.
CsvField json_field(const Json& object, const char* key) {
  const Json value = object.value(key, Json());
  if (value.is_number_integer()) return csv_number(value.get<std::int64_t>());
  if (value.is_number()) return csv_number(value.get<double>());
  return value.is_string() ? csv_text(value.get<std::string>()) : CsvField();
}

CsvField scalar_field(const Scalar& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return csv_number(*integer);
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? CsvField() : csv_text(*text);
}

constexpr auto kLaunchHeadings = std::to_array<const char*>({"launch", "session", "hardware"});
constexpr auto kLastHeadings = std::to_array<const char*>({"wall (s)", "warnings"});

struct OutcomeColumn {
  const char* heading;
  const char* key;
};
constexpr auto kOutcomeColumns = std::to_array<OutcomeColumn>({{"outcome", "status"},
                                                               {"rank", "rank"},
                                                               {"phase", "phase"},
                                                               {"requested (B)", "requested_bytes"},
                                                               {"in use (B)", "in_use_bytes"},
                                                               {"reserved (B)", "reserved_bytes"},
                                                               {"peak (B)", "peak_bytes"},
                                                               {"limit (s)", "limit_seconds"},
                                                               {"signal", "signal"},
                                                               {"message", "message"}});

CsvField hardware(const Run& run, const Launch& launch) {
  if (!launch.device) return {};
  return csv_text(device_words(run, run.devices.at(static_cast<std::size_t>(*launch.device))));
}

CsvFields launch_fields(const Run& run, const Launch& launch, std::size_t number) {
  CsvFields fields = {csv_number(static_cast<std::int64_t>(number)), csv_number(launch.session),
                      hardware(run, launch)};
  Json outcome = launch.outcome;
  if (outcome.contains("reason")) outcome["message"] = outcome["reason"];
  for (const OutcomeColumn& column : kOutcomeColumns)
    fields.push_back(json_field(outcome, column.key));
  append(fields, {csv_number(static_cast<double>(launch.wall_ns) * kSecondsPerNanosecond),
                  csv_text(join(launch.warnings, "; "))});
  return fields;
}

}  // namespace

std::string cells_csv(const Run& run) {
  const MetricColumns metrics(run);
  CsvFields headings;
  for (const CellColumn& column : cell_columns()) headings.push_back(csv_text(column.name));
  append(headings, csv_texts({kLaunchHeadings.begin(), kLaunchHeadings.end()}));
  for (const OutcomeColumn& column : kOutcomeColumns) headings.push_back(csv_text(column.heading));
  append(headings, csv_texts({kLastHeadings.begin(), kLastHeadings.end()}));
  append(headings, metrics.headings());
  std::string csv = csv_line(headings);
  for (const Cell& cell : run.cells) {
    CsvFields identity_fields;
    for (const Scalar& value : cell_values(cell)) identity_fields.push_back(scalar_field(value));
    const auto add_row = [&](const CsvFields& launch_values, const Launch& launch) {
      CsvFields fields = identity_fields;
      append(fields, launch_values);
      append(fields, metrics.fields(cell, launch));
      csv += csv_line(fields);
    };
    if (cell.launches.empty()) {
      CsvFields unmeasured(kLaunchHeadings.size() + kOutcomeColumns.size() + kLastHeadings.size());
      unmeasured[kLaunchHeadings.size()] = csv_text("not measured");
      add_row(unmeasured, {});
    }
    for (std::size_t i = 0; i < cell.launches.size(); ++i) {
      add_row(launch_fields(run, cell.launches[i], i), cell.launches[i]);
    }
  }
  return csv;
}

}  // namespace labreport
