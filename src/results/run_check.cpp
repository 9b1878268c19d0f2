#include "results/run_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "results/bounds.h"
#include "results/metric_names.h"
#include "results/run_rules.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

class UniqueNames {
 public:
  void add(const std::string& name, const Place& place) {
    if (!seen_.insert(name).second) place.refuse(fmt::format("'{}' stands there twice", name));
  }
  bool has(std::string_view name) const { return seen_.contains(std::string(name)); }

 private:
  std::set<std::string> seen_;
};

/// Adds up the magnitudes of one launch's numbers and refuses a sum above half of what 64 bits
/// hold. The numbers and their rounded values can then be added in any order.
class Total {
 public:
  template <typename PlaceOf>
  void add(double value, ValueRange range, const PlaceOf& place) {
    if (!is_within(range, value)) {
      place().refuse(fmt::format("expected {}, found {}", describe(range), value));
    }
    sum_ += std::abs(value);
    if (sum_ > kMostTogether)
      place().refuse("the numbers of its launch add up to more than 4·10^18");
  }

 private:
  double sum_ = 0;
};

void check_columns(const Table& table, Unknown unknown, const Place& place) {
  UniqueNames names;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    const Place at = place.item("columns", i);
    at.refuse_control_characters(column.name);
    names.add(column.name, at);
    if (unknown == Unknown::kRefused && !is_unit(column.unit)) {
      at.key("unit").refuse(fmt::format("unknown unit '{}'", column.unit));
    }
  }
  for (const std::string_view needed : needed_columns(table.name)) {
    if (names.has(needed)) continue;
    place.key("columns").refuse(fmt::format("the column '{}' is missing", needed));
  }
}

/// Checks the values against the declared type of a known column, else against the type of the
/// first value. Reading has already checked that each row has one value for each column.
void check_column(const Table& table, std::size_t column, Total& total, const Place& place) {
  const TableColumn& about = table.columns[column];
  const ValueRange range = range_of_column(table.name, about);
  std::optional<ColumnType> expected = type_of(table.name, about.name);
  for (std::size_t i = 0; !expected && i < table.rows.size(); ++i) {
    expected = type_of(table.rows[i][column]);
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Scalar& value = table.rows[i][column];
    const auto at = [&] { return place.item("rows", i).at(column); };
    const auto type = type_of(value);
    if (type && type != expected) {
      at().refuse(fmt::format("the column '{}' holds {}", about.name, describe(*expected)));
    }
    if (const auto number = number_of(value)) {
      total.add(*number, range, at);
    } else if (!type && table.name == metric::kKernels && expected == ColumnType::kNumber) {
      at().refuse("a kernel that ran has this number");
    }
  }
}

[[noreturn]] void refuse_order(const Place& place, double lesser, double greater,
                               const std::string& name) {
  place.refuse(fmt::format("expected at most {}, as '{}' is, found {}", greater, name, lesser));
}

/// Checks only known tables: in others, columns of the names "made" and "freed" may mean anything.
void check_order(const Table& table, const Place& place) {
  if (needed_columns(table.name).empty()) return;
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(table.columns, name, &TableColumn::name) -
                                    table.columns.begin());
  };
  for (const auto& [lesser, greater] : ordered_columns()) {
    const std::size_t less = index(lesser), more = index(greater);
    if (std::max(less, more) >= table.columns.size()) continue;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const auto below = number_of(table.rows[i][less]), above = number_of(table.rows[i][more]);
      if (!below || !above || *below <= *above) continue;
      refuse_order(place.item("rows", i).at(less), *below, *above, greater);
    }
  }
}

/// Checks that `row` is an index into the launch's table `kernels`.
void check_trace(const Table& trace, const std::vector<Table>& tables, const Place& place) {
  const auto kernels = std::ranges::find(tables, metric::kKernels, &Table::name);
  const std::size_t known = kernels == tables.end() ? 0 : kernels->rows.size();
  const auto column = std::ranges::find(trace.columns, column::kRow, &TableColumn::name);
  const auto at = static_cast<std::size_t>(column - trace.columns.begin());
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const auto* row = std::get_if<std::int64_t>(&trace.rows[i][at]);
    if (row != nullptr && *row >= 0 && std::cmp_less(*row, known)) continue;
    place.item("rows", i).at(at).refuse(
        fmt::format("no row of the table 'kernels', which has {}", known));
  }
}

constexpr int kFirstYear = 1970;  // a clock that was never set starts here
constexpr int kLastYear = 2199;

bool has_param(const CellSpec& spec, std::string_view key) {
  const std::array<std::pair<std::string_view, bool>, 9> params{
      {{"context", spec.context.has_value()},
       {"batch", spec.batch.has_value()},
       {"precision", spec.precision.has_value()},
       {"mode", spec.mode.has_value()},
       {"method", spec.attention.has_value()},
       {"ranks", spec.ranks.has_value()},
       {"largest", spec.largest.has_value()},
       {"sharding", spec.sharding.has_value()},
       {"scheme", spec.scheme.has_value()}}};
  for (const auto& [name, has_value] : params) {
    if (name == key) return has_value;
  }
  return spec.model.has_value();
}

/// True if the date and time exist and the year is in the bounds above. Reading has already checked
/// the form "2026-05-01T12:34:56Z".
bool is_time(std::string_view text) {
  const auto part = [&](std::size_t at, std::size_t length) {
    int value = 0;
    std::from_chars(text.data() + at, text.data() + at + length, value);
    return value;
  };
  const std::chrono::year_month_day date(std::chrono::year(part(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(part(8, 2))));
  return date.ok() && part(0, 4) >= kFirstYear && part(0, 4) <= kLastYear && part(11, 2) < 24 &&
         part(14, 2) < 60 && part(17, 2) <= 60;
}

void check_metric(const Metric& metric, Unknown unknown, Total& total, const Place& place) {
  for (const std::string* name : {&metric.tag, &metric.name, &metric.unit}) {
    place.refuse_control_characters(*name);
  }
  const std::string_view unit = unit_of(metric.tag, metric.name);
  if (!unit.empty() && metric.unit != unit) {
    place.key("unit").refuse(fmt::format("expected '{}', found '{}'", unit, metric.unit));
  }
  if (unknown == Unknown::kRefused && !is_unit(metric.unit)) {
    place.key("unit").refuse(fmt::format("unknown unit '{}'", metric.unit));
  }
  const auto* scalar = std::get_if<Scalar>(&metric.data);
  const auto type = scalar == nullptr ? std::nullopt : type_of(*scalar);
  if (!metric.unit.empty() && type.value_or(ColumnType::kNumber) != ColumnType::kNumber) {
    place.key("value").refuse(fmt::format("expected a number, as its unit is '{}'", metric.unit));
  }
  const ValueRange range = range_of_metric(metric);
  for (const double value : metric.numbers()) total.add(value, range, [&] { return place; });
}

void check_order(const std::vector<Metric>& metrics, const Place& launch) {
  std::map<std::string, std::size_t> indices;
  for (std::size_t i = 0; i < metrics.size(); ++i)
    indices.emplace(metrics[i].tag + "." + metrics[i].name, i);
  for (const auto& [lesser, greater] : ordered_metrics()) {
    const auto less = indices.find(lesser), more = indices.find(greater);
    if (less == indices.end() || more == indices.end()) continue;
    const auto below = metrics[less->second].numbers(), above = metrics[more->second].numbers();
    for (std::size_t i = 0; i < std::min(below.size(), above.size()); ++i) {
      if (below[i] <= above[i]) continue;
      refuse_order(launch.item("metrics", less->second), below[i], above[i], greater);
    }
  }
}

/// Refuses categories that together have more bytes than were requested at the step's peak.
void check_categories(const Launch& launch, const Place& place) {
  const Metric* peak = launch.find(metric::kMemory, metric::kPeakRequested);
  double left = peak == nullptr ? 0 : peak->number().value_or(0);
  if (left == 0) return;
  for (std::size_t i = 0; i < launch.metrics.size(); ++i) {
    const Metric& metric = launch.metrics[i];
    if (metric.tag != metric::kCategory) continue;
    left -= metric.number().value_or(0);
    if (left >= 0) continue;
    place.item("metrics", i).refuse("with the categories before it more than the requested peak");
  }
}

void check_metrics(const std::vector<Metric>& metrics, Unknown unknown, Total& total,
                   const Place& launch, const char* list) {
  UniqueNames names;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const Place place = launch.item(list, i);
    names.add(metrics[i].tag + "." + metrics[i].name, place);
    check_metric(metrics[i], unknown, total, place);
  }
}

/// Bounds a run's names of metrics and its launches, which are columns and rows of cells.csv.
class Extents {
 public:
  void add(const Launch& launch, const Place& place) {
    for (const auto* metrics : {&launch.metrics, &launch.conditions}) {
      for (const Metric& metric : *metrics) metric_names_.insert(metric.tag + "." + metric.name);
    }
    if (metric_names_.size() > kMostMetricNames) {
      place.refuse(fmt::format("metrics of more than {} names", kMostMetricNames));
    }
    if (++launches_ > kMostLaunches)
      place.refuse(fmt::format("more than {} launches", kMostLaunches));
  }

 private:
  std::set<std::string> metric_names_;
  std::size_t launches_ = 0;
};

void check_tables(const std::vector<Table>& tables, Unknown unknown, Total& total,
                  const Place& launch) {
  UniqueNames names;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Place place = launch.item("tables", i);
    place.refuse_control_characters(tables[i].name);
    names.add(tables[i].name, place);
    check_columns(tables[i], unknown, place);
    for (std::size_t column = 0; column < tables[i].columns.size(); ++column) {
      check_column(tables[i], column, total, place);
    }
    check_order(tables[i], place);
    if (tables[i].name == metric::kGpuTrace) check_trace(tables[i], tables, place);
  }
}

void check_launch(const Launch& launch, Unknown unknown, const Place& place) {
  Total total;
  check_metrics(launch.metrics, unknown, total, place, "metrics");
  check_order(launch.metrics, place);
  check_categories(launch, place);
  check_metrics(launch.conditions, unknown, total, place, "conditions");
  check_tables(launch.tables, unknown, total, place);
}

}  // namespace

void Place::refuse(const std::string& problem) const {
  throw InputError(fmt::format("{}: {}: {}", origin, path, problem),
                   "docs/threats.md and the published run.schema.json say what a run holds");
}

void Place::refuse_control_characters(const std::string& name) const {
  if (has_control_character(name)) refuse("a name with a control character in it");
}

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
  for (std::size_t i = 0; i < run.sessions.size(); ++i) {
    const std::string& time = run.sessions[i].started_at;
    if (is_time(time)) continue;
    document.item("sessions", i)
        .key("started_at")
        .refuse(
            fmt::format("expected a time from {} to {}, found '{}'", kFirstYear, kLastYear, time));
  }
  if (run.preset == "none" && run.source != "imported") {
    Place{origin, "preset"}.refuse("'none' is for imported runs");
  }
  UniqueNames ids;
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
