#include "results/run_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "results/bounds.h"
#include "results/metric_names.h"
#include "results/run_json_keys.h"
#include "results/run_labels.h"
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

/// Refuses a launch's number outside its range, and a sum of their magnitudes above kMaxLaunchSum.
/// The numbers, rounded or not, can then be added in any order without an overflow of 64 bits.
class LaunchSum {
 public:
  template <typename GetPlace>
  void add(double value, ValueRange range, const GetPlace& place) {
    if (!is_within(range, value)) {
      place().refuse(fmt::format("expected {}, found {}", describe(range), value));
    }
    sum_ += std::abs(value);
    if (sum_ > kMaxLaunchSum)
      place().refuse("the numbers of its launch add up to more than 4·10^18");
  }

 private:
  double sum_ = 0;
};

void check_columns(const Table& table, UnknownNames unknown_names, const Place& place) {
  UniqueNames names;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    const Place at = place.item("columns", i);
    at.refuse_control_characters(column.name);
    names.add(column.name, at);
    if (unknown_names == UnknownNames::kRefused && !is_known_unit(column.unit)) {
      at.key("unit").refuse(fmt::format("unknown unit '{}'", column.unit));
    }
  }
  for (const std::string_view needed : required_columns(table.name)) {
    if (names.has(needed)) continue;
    place.key("columns").refuse(fmt::format("the column '{}' is missing", needed));
  }
}

/// Checks that all values have the type that the column must have or, in an unknown column, the
/// type of the first value that is not null. Reading has already checked the number of values in a
/// row.
void check_column(const Table& table, std::size_t column, LaunchSum& sum, const Place& place) {
  const TableColumn& header = table.columns[column];
  const ValueRange range = range_of_column(table.name, header);
  std::optional<ColumnType> expected = required_type(table.name, header.name);
  for (std::size_t i = 0; !expected && i < table.rows.size(); ++i) {
    expected = type_of(table.rows[i][column]);
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Scalar& value = table.rows[i][column];
    const auto at = [&] { return place.item("rows", i).at(column); };
    const auto type = type_of(value);
    if (type && type != expected) {
      at().refuse(fmt::format("the column '{}' holds {}", header.name, describe(*expected)));
    }
    if (const auto number = number_of(value)) {
      sum.add(*number, range, at);
    } else if (!type && table.name == metric::kKernels && expected == ColumnType::kNumber) {
      at().refuse("a kernel that ran has this number");
    }
  }
}

[[noreturn]] void refuse_order(const Place& place, double value, double bound,
                               const std::string& bound_name) {
  place.refuse(fmt::format("expected at most {}, as '{}' is, found {}", bound, bound_name, value));
}

/// Checks `ordered_columns()` in known tables only. In an unknown table, columns named "made" and
/// "freed" may have any meaning.
void check_column_order(const Table& table, const Place& place) {
  if (required_columns(table.name).empty()) return;
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(table.columns, name, &TableColumn::name) -
                                    table.columns.begin());
  };
  for (const auto& [lesser_name, greater_name] : ordered_columns()) {
    const std::size_t lesser = index(lesser_name), greater = index(greater_name);
    if (std::max(lesser, greater) >= table.columns.size()) continue;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const auto value = number_of(table.rows[i][lesser]),
                 bound = number_of(table.rows[i][greater]);
      if (!value || !bound || *value <= *bound) continue;
      refuse_order(place.item("rows", i).at(lesser), *value, *bound, greater_name);
    }
  }
}

/// Checks that the column `row` holds indices of rows in the launch's table `kernels`.
void check_gpu_trace(const Table& trace, const std::vector<Table>& tables, const Place& place) {
  const auto kernels = std::ranges::find(tables, metric::kKernels, &Table::name);
  const std::size_t kernel_rows = kernels == tables.end() ? 0 : kernels->rows.size();
  const auto column = std::ranges::find(trace.columns, column::kRow, &TableColumn::name);
  const auto index = static_cast<std::size_t>(column - trace.columns.begin());
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const auto* row = std::get_if<std::int64_t>(&trace.rows[i][index]);
    if (row != nullptr && *row >= 0 && std::cmp_less(*row, kernel_rows)) continue;
    place.item("rows", i).at(index).refuse(
        fmt::format("no row of the table 'kernels', which has {}", kernel_rows));
  }
}

/// True if the date and the time exist and the year is from kFirstYear to kLastYear. Reading has
/// already checked the pattern "2026-05-01T12:34:56Z".
bool is_valid_time(std::string_view text) {
  const auto number_at = [&](std::size_t begin, std::size_t length) {
    return leading_number<int>(text.substr(begin, length)).value_or(0);
  };
  const std::chrono::year_month_day date(std::chrono::year(number_at(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number_at(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number_at(8, 2))));
  return date.ok() && number_at(0, 4) >= kFirstYear && number_at(0, 4) <= kLastYear &&
         number_at(11, 2) < 24 && number_at(14, 2) < 60 && number_at(17, 2) <= 60;
}

void check_metric(const Metric& metric, UnknownNames unknown_names, LaunchSum& sum,
                  const Place& place) {
  for (const std::string* name : {&metric.tag, &metric.name, &metric.unit}) {
    place.refuse_control_characters(*name);
  }
  const std::string_view unit = required_unit(metric.tag, metric.name);
  if (!unit.empty() && metric.unit != unit) {
    place.key("unit").refuse(fmt::format("expected '{}', found '{}'", unit, metric.unit));
  }
  if (unknown_names == UnknownNames::kRefused && !is_known_unit(metric.unit)) {
    place.key("unit").refuse(fmt::format("unknown unit '{}'", metric.unit));
  }
  const auto* scalar = std::get_if<Scalar>(&metric.data);
  const auto type = scalar == nullptr ? std::nullopt : type_of(*scalar);
  if (!metric.unit.empty() && type.value_or(ColumnType::kNumber) != ColumnType::kNumber) {
    place.key("value").refuse(fmt::format("expected a number, as its unit is '{}'", metric.unit));
  }
  const ValueRange range = range_of_metric(metric);
  for (const double value : metric.numbers()) sum.add(value, range, [&] { return place; });
}

void check_metric_order(const std::vector<Metric>& metrics, const Place& place) {
  std::map<std::string, std::size_t> indices;
  for (std::size_t i = 0; i < metrics.size(); ++i)
    indices.emplace(metrics[i].tag + "." + metrics[i].name, i);
  for (const auto& [lesser_name, greater_name] : ordered_metrics()) {
    const auto lesser = indices.find(lesser_name), greater = indices.find(greater_name);
    if (lesser == indices.end() || greater == indices.end()) continue;
    // A step of the user's may free gradients before its first phase.
    const bool is_own_step = indices.contains("peak.other");
    if (is_own_step && lesser_name.starts_with("resident.") && greater_name.starts_with("peak"))
      continue;
    const auto values = metrics[lesser->second].numbers();
    const auto bounds = metrics[greater->second].numbers();
    for (std::size_t i = 0; i < std::min(values.size(), bounds.size()); ++i) {
      if (values[i] <= bounds[i]) continue;
      refuse_order(place.item("metrics", lesser->second), values[i], bounds[i], greater_name);
    }
  }
}

/// Refuses categories of memory whose bytes add up to more than the step's requested peak.
void check_categories(const Launch& launch, const Place& place) {
  double remaining_bytes = launch.number(metric::kMemory, metric::kPeakRequested).value_or(0);
  if (remaining_bytes == 0) return;
  for (std::size_t i = 0; i < launch.metrics.size(); ++i) {
    const Metric& metric = launch.metrics[i];
    if (metric.tag != metric::kCategory) continue;
    remaining_bytes -= metric.number().value_or(0);
    if (remaining_bytes >= 0) continue;
    place.item("metrics", i).refuse("with the categories before it more than the requested peak");
  }
}

void check_metrics(const std::vector<Metric>& metrics, UnknownNames unknown_names, LaunchSum& sum,
                   const Place& place, const char* list) {
  UniqueNames names;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const Place at = place.item(list, i);
    names.add(metrics[i].tag + "." + metrics[i].name, at);
    check_metric(metrics[i], unknown_names, sum, at);
  }
}

/// Bounds the distinct metric names and the launches of a run, which become the columns and the
/// rows of cells.csv.
class RunSize {
 public:
  void add(const Launch& launch, const Place& place) {
    for (const auto* metrics : {&launch.metrics, &launch.conditions}) {
      for (const Metric& metric : *metrics) metric_names_.insert(metric.tag + "." + metric.name);
    }
    if (metric_names_.size() > kMaxMetricNames) {
      place.refuse(fmt::format("metrics of more than {} names", kMaxMetricNames));
    }
    if (++launches_ > kMaxLaunches)
      place.refuse(fmt::format("more than {} launches", kMaxLaunches));
  }

 private:
  std::set<std::string> metric_names_;
  std::size_t launches_ = 0;
};

void check_tables(const std::vector<Table>& tables, UnknownNames unknown_names, LaunchSum& sum,
                  const Place& place) {
  UniqueNames names;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Place at = place.item("tables", i);
    at.refuse_control_characters(tables[i].name);
    names.add(tables[i].name, at);
    check_columns(tables[i], unknown_names, at);
    for (std::size_t column = 0; column < tables[i].columns.size(); ++column) {
      check_column(tables[i], column, sum, at);
    }
    check_column_order(tables[i], at);
    if (tables[i].name == metric::kGpuTrace) check_gpu_trace(tables[i], tables, at);
  }
}

void check_launch(const Launch& launch, UnknownNames unknown_names, const Place& place) {
  LaunchSum sum;
  check_metrics(launch.metrics, unknown_names, sum, place, "metrics");
  check_metric_order(launch.metrics, place);
  check_categories(launch, place);
  check_metrics(launch.conditions, unknown_names, sum, place, "conditions");
  check_tables(launch.tables, unknown_names, sum, place);
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
  const auto require = [&](const auto& param) {
    if (!param.required_by.has(spec.kind) || !is_empty(spec.*param.pointer)) return;
    params.refuse(fmt::format("the key '{}' is missing, which every {} cell has", param.key,
                              name(spec.kind)));
  };
  std::apply([&](const auto&... param) { (require(param), ...); }, kMembers<CellSpec>);
}

void check_single_launch(const Launch& launch, const Place& place) {
  RunSize().add(launch, place);
  check_launch(launch, UnknownNames::kRefused, place);
}

void check_run(const Run& run, const std::string& origin, UnknownNames unknown_names) {
  const Place document{origin, ""};
  for (std::size_t i = 0; i < run.sessions.size(); ++i) {
    const std::string& time = run.sessions[i].started_at;
    if (is_valid_time(time)) continue;
    document.item("sessions", i)
        .key("started_at")
        .refuse(
            fmt::format("expected a time from {} to {}, found '{}'", kFirstYear, kLastYear, time));
  }
  if (run.preset == kPresetNone && run.source != kSourceImported) {
    Place{origin, "preset"}.refuse("'none' is for imported runs");
  }
  UniqueNames ids;
  RunSize run_size;
  for (std::size_t i = 0; i < run.cells.size(); ++i) {
    const Cell& cell = run.cells[i];
    const Place place = document.item("cells", i);
    ids.add(cell.id, place.key("id"));
    check_params(cell.spec, place.key("params"));
    for (std::size_t launch = 0; launch < cell.launches.size(); ++launch) {
      const Place at = place.item("launches", launch);
      run_size.add(cell.launches[launch], at);
      check_launch(cell.launches[launch], unknown_names, at);
    }
  }
}

}  // namespace labreport
