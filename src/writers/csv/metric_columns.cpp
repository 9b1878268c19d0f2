#include "writers/csv/metric_columns.h"

#include <algorithm>

#include "base/csv.h"
#include "base/statistics.h"
#include "document/view.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr double kSecondsPerNanosecond = 1e-9;
constexpr double kHertzPerMegahertz = 1e6;
constexpr const char* kSummaries[] = {".mean", ".stddev", ".min", ".median", ".max"};

struct SiUnit {
  std::string name;
  double factor = 1;
};

SiUnit si_unit(const std::string& unit) {
  if (unit == "ns") return {"s", kSecondsPerNanosecond};
  if (unit == "MHz") return {"Hz", kHertzPerMegahertz};
  return {unit == "1" ? "" : unit, 1};
}

CsvField with_unit(const std::string& name, const std::string& unit) {
  return csv_text(unit.empty() ? name : name + " (" + unit + ")");
}

CsvField scalar_field(const Metric& metric, double factor) {
  if (const auto number = metric.number()) return csv_number(*number * factor);
  const auto* scalar = std::get_if<Scalar>(&metric.data);
  const auto* text = scalar == nullptr ? nullptr : std::get_if<std::string>(scalar);
  return text == nullptr ? CsvField() : csv_text(*text);
}

}  // namespace

MetricColumns::MetricColumns(const Run& run) {
  for (const Cell& cell : run.cells) {
    for (const Launch& launch : cell.launches) {
      add(launch.metrics, false);
      add(launch.conditions, true);
    }
  }
}

void MetricColumns::add(const std::vector<Metric>& metrics, bool conditions) {
  for (const Metric& metric : metrics) {
    const auto found = std::ranges::find_if(columns_, [&](const Column& column) {
      return column.tag == metric.tag && column.name == metric.name &&
             column.condition == conditions;
    });
    if (found == columns_.end()) {
      columns_.push_back({metric.tag, metric.name, metric.unit, metric.is_samples(), conditions});
    } else if (metric.is_samples()) {
      found->samples = true;  // A metric that was absent first has no samples there.
    }
  }
}

const Metric* MetricColumns::find(const Column& column, const Launch& launch) {
  return column.condition ? launch.find_condition(column.tag, column.name)
                          : launch.find(column.tag, column.name);
}

bool MetricColumns::is_running(const Column& column) {
  return column.tag == metric::kRunning || column.tag == metric::kRunningHost;
}

CsvFields MetricColumns::heads() const {
  CsvFields heads;
  for (const Column& column : columns_) {
    const std::string unit = si_unit(column.unit).name;
    const std::string name = column.tag + "." + column.name;
    if (!column.samples) {
      heads.push_back(with_unit(name, unit));
    } else if (is_running(column)) {
      heads.push_back(with_unit(name + ".last", unit));
    } else {
      heads.push_back(csv_text(name + ".count"));
      for (const char* summary : kSummaries) heads.push_back(with_unit(name + summary, unit));
    }
  }
  return heads;
}

CsvFields MetricColumns::fields(const Cell& cell, const Launch& launch) const {
  CsvFields fields;
  for (const Column& column : columns_) {
    const Metric* metric = find(column, launch);
    if (column.samples) {
      add_samples(fields, column,
                  metric == nullptr ? std::vector<double>() : counted(*metric, cell.spec));
    } else {
      fields.push_back(metric == nullptr ? CsvField()
                                         : scalar_field(*metric, si_unit(column.unit).factor));
    }
  }
  return fields;
}

/// Every step from the first is kept; only those after the warm-up count.
std::vector<double> MetricColumns::counted(const Metric& metric, const CellSpec& spec) {
  const std::vector<double> all = metric.numbers();
  const auto warmup = static_cast<std::size_t>(spec.warmup.value_or(0));
  const auto steps = static_cast<std::size_t>(spec.steps.value_or(0));
  return steps > 0 && all.size() == warmup + steps ? window(all, warmup, steps) : all;
}

void MetricColumns::add_samples(CsvFields& fields, const Column& column,
                                const std::vector<double>& samples) {
  const double factor = si_unit(column.unit).factor;
  if (is_running(column)) {
    return fields.push_back(samples.empty() ? CsvField() : csv_number(samples.back() * factor));
  }
  if (samples.empty()) {
    fields.resize(fields.size() + 1 + std::size(kSummaries));
    return;
  }
  const Summary summary = summarize(samples);
  fields.push_back(csv_number(static_cast<std::int64_t>(summary.count)));
  for (const double value :
       {summary.mean, summary.stddev, summary.min, summary.median, summary.max}) {
    fields.push_back(csv_number(value * factor));
  }
}

}  // namespace labreport
