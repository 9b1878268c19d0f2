#include "results/run_check.h"

#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "results/check_place.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr int kFirstYear = 1970;  // where a clock begins that nobody has set
constexpr int kLastYear = 2199;

/// The parameters that are there, by their keys.
bool has_param(const CellSpec& spec, std::string_view key) {
  const std::array<std::pair<std::string_view, bool>, 7> kOwn{
      {{"context", spec.context.has_value()},
       {"batch", spec.batch.has_value()},
       {"precision", spec.precision.has_value()},
       {"mode", spec.mode.has_value()},
       {"method", spec.attention.has_value()},
       {"ranks", spec.ranks.has_value()},
       {"largest", spec.largest.has_value()}}};
  for (const auto& [name, there] : kOwn) {
    if (name == key) return there;
  }
  return spec.model.has_value();
}

int digits_value(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Of the form that the schema asks for: "2026-05-01T12:34:56Z".
bool is_time(std::string_view text) {
  const auto part = [&](std::size_t at, std::size_t length) {
    return digits_value(text.substr(at, length));
  };
  const std::chrono::year_month_day date(std::chrono::year(part(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(part(8, 2))));
  return date.ok() && part(0, 4) >= kFirstYear && part(0, 4) <= kLastYear && part(11, 2) < 24 &&
         part(14, 2) < 60 && part(17, 2) <= 60;
}

void check_sessions(const Run& run, const Place& document) {
  for (std::size_t i = 0; i < run.sessions.size(); ++i) {
    if (is_time(run.sessions[i].started_at)) continue;
    document.item("sessions", i)
        .key("started_at")
        .refuse(fmt::format("expected a time from {} to {}, found '{}'", kFirstYear, kLastYear,
                            run.sessions[i].started_at));
  }
}

void check_unit(const Metric& metric, Unknown unknown, const Place& place) {
  const std::string_view expected = unit_of(metric.tag, metric.name);
  if (!expected.empty() && metric.unit != expected) {
    place.key("unit").refuse(fmt::format("expected '{}', found '{}'", expected, metric.unit));
  }
  if (unknown == Unknown::kRefused && !is_unit(metric.unit)) {
    place.key("unit").refuse(fmt::format("unknown unit '{}'", metric.unit));
  }
}

bool is_number_or_null(const Metric& metric) {
  const auto* scalar = std::get_if<Scalar>(&metric.data);
  return scalar == nullptr || type_of(*scalar).value_or(ColumnType::kNumber) == ColumnType::kNumber;
}

void check_metric(const Metric& metric, Unknown unknown, Total& total, const Place& place) {
  for (const std::string* name : {&metric.tag, &metric.name, &metric.unit}) {
    place.refuse_control_characters(*name);
  }
  check_unit(metric, unknown, place);
  if (!metric.unit.empty() && !is_number_or_null(metric)) {
    place.key("value").refuse(fmt::format("expected a number, as its unit is '{}'", metric.unit));
  }
  const bool takes_time = metric.name == metric::kTotal && metric.unit == "ns";
  for (const double value : metric.numbers()) {
    if (takes_time && value <= 0 && metric.tag != metric::kPublishedStddev) {
      place.refuse(fmt::format("expected a step's time above 0, found {}", value));
    }
    total.add(value, metric.unit, [&] { return place; });
  }
}

void check_metrics(const std::vector<Metric>& metrics, Unknown unknown, Total& total,
                   const Place& launch, const char* list) {
  OwnNames names;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const Place place = launch.item(list, i);
    names.add(metrics[i].tag + "." + metrics[i].name, place);
    check_metric(metrics[i], unknown, total, place);
  }
}

/// What becomes columns of cells.csv, and its rows.
class Extents {
 public:
  void add(const Launch& launch, const Place& place) {
    for (const auto* metrics : {&launch.metrics, &launch.conditions}) {
      for (const Metric& metric : *metrics) kinds_.insert(metric.tag + "." + metric.name);
    }
    if (kinds_.size() > kMostMetricNames) {
      place.refuse(fmt::format("metrics of more than {} names", kMostMetricNames));
    }
    if (++launches_ > kMostLaunches)
      place.refuse(fmt::format("more than {} launches", kMostLaunches));
  }

 private:
  std::set<std::string> kinds_;
  std::size_t launches_ = 0;
};

void check_launch(const Launch& launch, Unknown unknown, const Place& place) {
  Total total;
  check_metrics(launch.metrics, unknown, total, place, "metrics");
  check_metrics(launch.conditions, unknown, total, place, "conditions");
  check_tables(launch.tables, unknown, total, place);
}

}  // namespace

void check_params(const CellSpec& spec, const Place& params) {
  params.key("size").refuse_control_characters(spec.size);
  for (const std::string_view key : needed_params(spec.kind)) {
    if (has_param(spec, key)) continue;
    params.refuse(
        fmt::format("the key '{}' is missing, which every {} cell has", key, name(spec.kind)));
  }
}

void check_lone_launch(const Launch& launch, const Place& place) {
  Extents().add(launch, place);
  check_launch(launch, Unknown::kRefused, place);
}

void check_run(const Run& run, const std::string& origin, Unknown unknown) {
  const Place document{origin, ""};
  check_sessions(run, document);
  OwnNames ids;
  Extents extents;
  for (std::size_t i = 0; i < run.cells.size(); ++i) {
    const Cell& cell = run.cells[i];
    const Place place = document.item("cells", i);
    ids.add(cell.id, place.key("id"));
    check_params(cell.spec, place.key("params"));
    for (std::size_t launch = 0; launch < cell.launches.size(); ++launch) {
      const Place at = place.item("launches", launch);
      extents.add(cell.launches[launch], at);
      check_launch(cell.launches[launch], unknown, at);
    }
  }
}

}  // namespace labreport
