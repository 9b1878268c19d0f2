// Makes runs from the fake worker's results. No number in them was measured.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "experiments/catalog.h"
#include "fakes/fake_report.h"
#include "plan/planner.h"
#include "results/launch_file.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::testing_samples {

/// A change of a launch's results, which a test applies to each launch of a run.
using Change = std::function<void(const CellSpec&, Launch&)>;

inline PlanInput plan_input(Preset preset, const char* edition = "2025") {
  const DeviceKind device = preset == Preset::kDemo ? DeviceKind::kCpu : DeviceKind::kCuda;
  return {find_edition(edition), preset, {}, device};
}

/// Returns the plan's input for only the problem or part `selector`.
inline PlanInput input_for(const std::string& selector, Preset preset = Preset::kFull,
                           const char* edition = "2025") {
  PlanInput input = plan_input(preset, edition);
  input.selection.only = {selector};
  return input;
}

/// Returns the planned cells, or only those of `kind` if it is given.
inline std::vector<CellSpec> planned(const PlanInput& input, std::optional<CellKind> kind = {},
                                     const Run& so_far = {}) {
  std::vector<CellSpec> specs;
  for (const PlannedCell& cell : plan_cells(input, so_far)) {
    if (!kind || cell.spec.kind == *kind) specs.push_back(cell.spec);
  }
  return specs;
}

inline Run empty_run(const PlanInput& input) {
  Run run;
  run.edition = input.edition.name;
  run.preset = name(input.preset);
  Session session;
  session.started_at = "2026-05-01T12:34:56Z";
  session.argv = {"labreport", "report"};
  session.revision = std::string(40, 'a');
  session.cpu = "Fake CPU";
  session.cores = 16;
  session.model = input.selection.model;
  if (session.model) session.request.model = session.model->model;
  if (input.selection.keeps_labreports_network) session.request.second_network = "labreport";
  session.software = {"580.95.05", "13.0", "13.1.0", "13.0", "2.11.0"};
  run.sessions = {session};
  return run;
}

/// Removes the kernel trace if the change added or removed kernels.
inline void drop_stale_trace(Launch& launch, const Launch& before) {
  const auto kernel_rows = [](const Launch& of_launch) {
    const Table* table = find_table(of_launch, metric::kKernels);
    return table == nullptr ? 0 : table->rows.size();
  };
  if (kernel_rows(launch) == kernel_rows(before)) return;
  std::erase_if(launch.tables, [](const Table& table) { return table.name == metric::kGpuTrace; });
}

/// Returns the fake worker's result, made once for each launch, because many tests share launches.
inline const LaunchReport& fake_report(const PlannedCell& planned, std::int64_t number) {
  static std::map<std::tuple<std::string, std::string, std::int64_t, bool>, LaunchReport> reports;
  const CellSpec& spec = planned.spec;
  const auto [report, inserted] =
      reports.try_emplace({cell_id(spec), spec.size, number, planned.gpu_trace});
  if (inserted) report->second = good_report({spec, number, 0, "", planned.gpu_trace});
  return report->second;
}

inline Launch fake_launch(Run& run, const PlannedCell& planned, std::int64_t number,
                          const Change& change) {
  const CellSpec& spec = planned.spec;
  const LaunchReport& report = fake_report(planned, number);
  Launch launch = report.body;
  launch.conditions.clear();
  change(spec, launch);
  drop_stale_trace(launch, report.body);
  if (!std::holds_alternative<Skipped>(launch.outcome)) {
    launch.device = find_or_add_device(run, report.device);
  }
  return launch;
}

inline void unchanged(const CellSpec&, Launch&) {}

/// Fills every planned launch with a changed fake result, and plans again until there are no new
/// cells.
inline Run fake_run(const PlanInput& input, const Change& change = unchanged) {
  Run run = empty_run(input);
  for (bool has_new = true; has_new;) {
    has_new = false;
    for (const PlannedCell& planned : plan_cells(input, run)) {
      Cell& cell = run.find_or_add(planned.spec);
      while (static_cast<std::int64_t>(cell.launches.size()) < planned.launches) {
        const auto number = static_cast<std::int64_t>(cell.launches.size());
        cell.launches.push_back(fake_launch(run, planned, number, change));
        has_new = true;
      }
    }
  }
  return run;
}

// The following functions return changes, which `combined` joins.

inline Change where(std::function<bool(const CellSpec&)> predicate, Change change) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (predicate(spec)) change(spec, launch);
  };
}

inline Change combined(Change first, Change second) {
  return [=](const CellSpec& spec, Launch& launch) {
    first(spec, launch);
    second(spec, launch);
  };
}

inline Change without_metric(std::string_view tag, std::string_view name) {
  return [=](const CellSpec&, Launch& launch) {
    std::erase_if(launch.metrics,
                  [=](const Metric& metric) { return metric.tag == tag && metric.name == name; });
  };
}

/// Replaces each sample of a metric by `value(sample, index)`. A single number has index 0.
inline Change each_sample(std::string_view tag, std::string_view name,
                          std::function<double(double, std::size_t)> value) {
  return [=](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag != tag || metric.name != name) continue;
      if (!metric.is_samples()) {
        metric.data = Scalar(static_cast<std::int64_t>(value(*metric.number(), 0)));
        continue;
      }
      std::vector<std::int64_t> samples;
      for (const double sample : metric.numbers()) {
        samples.push_back(static_cast<std::int64_t>(value(sample, samples.size())));
      }
      metric.data = Samples(samples);
    }
  };
}

inline Change scaled(std::string_view tag, std::string_view name, double factor) {
  return each_sample(tag, name, [=](double value, std::size_t) { return factor * value; });
}

inline Change with_losses(std::vector<double> samples) {
  return [=](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kLosses) metric.data = Samples(samples);
    }
  };
}

/// A row of a table whose cells are found by column names.
class NamedRow {
 public:
  NamedRow(const Table& table, std::vector<Scalar>& cells) : table_(&table), cells_(&cells) {}

  Scalar& operator[](std::string_view column) const {
    const auto found = std::ranges::find(table_->columns, column, &TableColumn::name);
    if (found == table_->columns.end()) throw std::runtime_error("no column of that name");
    return cells_->at(static_cast<std::size_t>(found - table_->columns.begin()));
  }

  bool has(std::string_view column, std::string_view words) const {
    return std::get<std::string>((*this)[column]).find(words) != std::string::npos;
  }

  std::int64_t number(std::string_view column) const {
    return std::get<std::int64_t>((*this)[column]);
  }

  /// Multiplies a cell by `factor`, unless it has no number.
  void scale(std::string_view column, double factor) const {
    if (auto* number = std::get_if<std::int64_t>(&(*this)[column])) {
      *number = static_cast<std::int64_t>(factor * static_cast<double>(*number));
    }
  }

 private:
  const Table* table_;
  std::vector<Scalar>* cells_;
};

inline Change each_row(std::string_view table_name, std::function<void(const NamedRow&)> change) {
  return [=](const CellSpec&, Launch& launch) {
    for (Table& table : launch.tables) {
      if (table.name != table_name) continue;
      for (auto& row : table.rows) change(NamedRow(table, row));
    }
  };
}

/// Returns a part of the run's report by its name, or the first part of a problem of that name.
inline Part part_of(const Run& run, const std::string& name) {
  for (const Section& section : build_document(run, false).sections) {
    for (const Part& part : section.parts) {
      if (part.name() == name || part.problem == name) return part;
    }
  }
  throw std::runtime_error("no part " + name);
}

/// A change that makes one kernel's time unknown.
inline void without_a_kernel_time(const CellSpec&, Launch& launch) {
  for (Table& table : launch.tables) {
    if (table.name != metric::kKernels) continue;
    NamedRow(table, table.rows.front())[column::kTotalNs] = Scalar();
  }
}

inline TableView table_of(const Part& part, std::string_view slug) {
  for (const auto* tables : {&part.tables, &part.details.tables}) {
    for (const TableView& table : *tables) {
      if (table.slug == slug) return table;
    }
  }
  throw std::runtime_error("no table " + std::string(slug));
}

/// Returns a column's texts, each with the reason beside its row. Empty without such a column.
inline std::vector<std::string> texts_in(const TableView& table, std::string_view title) {
  const auto found = std::ranges::find(table.columns, title, &ColumnView::title);
  if (found == table.columns.end()) return {};
  std::vector<std::string> texts;
  for (const RowView& row : table.rows) {
    texts.push_back(table.text(row, static_cast<std::size_t>(found - table.columns.begin())) +
                    row.missing_reason);
  }
  return texts;
}

/// Returns a line for each row: its cells between bars, and its remarks.
inline std::vector<std::string> lines_of(const TableView& table) {
  std::vector<std::string> lines;
  for (const RowView& row : table.rows) {
    std::string& line = lines.emplace_back();
    for (std::size_t c = 0; c < row.cells.size(); ++c) line += table.text(row, c) + " | ";
    line += row.missing_reason + row.joined_flags();
  }
  return lines;
}

/// Returns a row of the table `kernels`: launches of one class in one phase that take `ms` in all.
inline std::vector<Scalar> kernel_row(const Table& table, std::string_view phase, const char* kind,
                                      double ms, std::int64_t instances = 1) {
  std::vector<Scalar> cells(table.columns.size(), Scalar(std::int64_t{1}));
  const NamedRow row(table, cells);
  for (const auto name : {column::kModule, column::kOperation, column::kOperator}) {
    row[name] = std::string("aten::any");
  }
  row[column::kPhase] = std::string(phase);
  row[column::kClass] = std::string(kind);
  row[column::kInstances] = instances;
  row[column::kTotalNs] = static_cast<std::int64_t>(1e6 * ms);
  return cells;
}

/// Gives the launch another outcome and removes its numbers.
inline void end_with(Launch& launch, Outcome outcome) {
  launch.outcome = std::move(outcome);
  launch.metrics.clear();
  launch.tables.clear();
}

}  // namespace labreport::testing_samples
