// Runs as readers meet them, made from the fake worker's results: no number in them was measured.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>

#include "experiments/catalog.h"
#include "fakes/fake_report.h"
#include "plan/planner.h"
#include "results/launch_file.h"
#include "results/measured_table.h"

namespace labreport::testing_samples {

using Change = std::function<void(const CellSpec&, Launch&)>;

inline PlanInput plan_input(Preset preset, const char* edition = "2025") {
  const DeviceKind device = preset == Preset::kDemo ? DeviceKind::kCpu : DeviceKind::kCuda;
  return {find_edition(edition), preset, {}, device};
}

/// Of that problem or part alone.
inline PlanInput only(const std::string& asked, Preset preset = Preset::kFull,
                      const char* edition = "2025") {
  PlanInput input = plan_input(preset, edition);
  input.selection.only = {asked};
  return input;
}

/// The cells that are planned, those of one kind where it is given.
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
  if (input.selection.both) session.request.beside = "labreport";
  session.software = {"580.95.05", "13.0", "13.1.0", "13.0", "2.11.0"};
  run.sessions = {session};
  return run;
}

/// A test that adds or removes kernels leaves no trace of them.
inline void drop_stale_trace(Launch& launch, const Launch& before) {
  const auto kernels = [](const Launch& of) {
    const Table* table = find_table(of, metric::kKernels);
    return table == nullptr ? 0 : table->rows.size();
  };
  if (kernels(launch) == kernels(before)) return;
  std::erase_if(launch.tables, [](const Table& table) { return table.name == metric::kGpuTrace; });
}

inline Launch answered(Run& run, const PlannedCell& planned, std::int64_t number,
                       const Change& change) {
  const CellSpec& spec = planned.spec;
  const LaunchReport report = good_report({spec, number, 0, "", planned.gpu_trace});
  Launch launch = report.body;
  launch.conditions.clear();
  change(spec, launch);
  drop_stale_trace(launch, report.body);
  if (!std::holds_alternative<Skipped>(launch.outcome)) {
    launch.device = find_or_add_device(run, report.device);
  }
  return launch;
}

inline void as_it_is(const CellSpec&, Launch&) {}

/// Every planned launch answered by the fake worker, then changed as the test wants; planned again
/// until nothing new is asked for.
inline Run measured(const PlanInput& input, const Change& change = as_it_is) {
  Run run = empty_run(input);
  for (bool more = true; more;) {
    more = false;
    for (const PlannedCell& planned : plan_cells(input, run)) {
      Cell& cell = run.find_or_add(planned.spec);
      while (static_cast<std::int64_t>(cell.launches.size()) < planned.launches) {
        const auto number = static_cast<std::int64_t>(cell.launches.size());
        cell.launches.push_back(answered(run, planned, number, change));
        more = true;
      }
    }
  }
  return run;
}

/// The part of that name in a run's report; of a problem's name, its first.
inline Part part_of(const Run& run, const std::string& name) {
  for (const Section& section : build_document(run, false).sections) {
    for (const Part& part : section.parts) {
      if (part.name() == name || part.problem == name) return part;
    }
  }
  throw std::runtime_error("no part " + name);
}

/// A row of the kernel table: `ms` of kernels of one class in one phase.
inline std::vector<Scalar> kernel_row(const Table& table, std::string_view phase, const char* kind,
                                      double ms) {
  std::vector<Scalar> cells(table.columns.size(), Scalar(std::int64_t{1}));
  for (std::size_t i = 0; i < 5; ++i) cells[i] = std::string("aten::any");
  cells[0] = std::string(phase);
  cells[4] = std::string(kind);
  cells[7] = static_cast<std::int64_t>(1e6 * ms);
  return cells;
}

/// A launch that ended otherwise has no numbers.
inline void end_with(Launch& launch, Outcome outcome) {
  launch.outcome = std::move(outcome);
  launch.metrics.clear();
  launch.tables.clear();
}

}  // namespace labreport::testing_samples
