#include "imports/imported_run.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "results/bounds.h"
#include "results/published_names.h"

namespace labreport {
namespace {

Run new_run(const Reading& reading) {
  Run run;
  run.edition = reading.edition;
  run.preset = "none";
  run.source = "imported";
  Device device;
  device.kind = DeviceKind::kCuda;
  device.name = reading.gpu;
  run.devices = {device};
  return run;
}

Launch new_launch(const Reading& reading, const Declared& declared, const std::string& assumed) {
  Launch launch;
  launch.device = 0;
  launch.outcome = reading.outcome;
  const auto note = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) launch.conditions.push_back(text_metric(metric::kProvenance, name, text));
  };
  note(metric::kTitle, declared.title);
  note(metric::kSource, reading.source);
  note(metric::kFile, declared.file);
  note(metric::kPlace, fmt::format("line {}", reading.line));
  note(metric::kExperiment, reading.experiment);
  note(metric::kAssumed, assumed);
  return launch;
}

void add_numbers(Launch& launch, const Reading& reading) {
  if (!is_ok(reading.outcome)) {
    launch.outcome = reading.outcome;
    return;
  }
  const bool time = reading.spec.kind == CellKind::kTiming;
  launch.metrics.push_back(
      integer_metric(metric::kPublished, reading.metric, time ? "ns" : "B", reading.value));
  if (!time) return;
  launch.metrics.push_back(integer_metric(metric::kPublishedStddev, reading.metric, "ns",
                                          reading.deviation, "the table has none"));
}

[[noreturn]] void refuse_twice(const Reading& reading, std::size_t first, const std::string& file) {
  const CellSpec& spec = reading.spec;
  refuse_line(
      file, reading.line,
      fmt::format("repeats line {}: {}, {} {}, context {}, {}", first, spec.size,
                  describe(*spec.mode), reading.metric, *spec.context, describe(*spec.precision)),
      "keep one row of them, or import tables apart with --table");
}

}  // namespace

std::vector<Run> imported_runs(const Readings& readings, const Declared& declared) {
  const std::string assumed =
      join(std::vector(readings.assumed.begin(), readings.assumed.end()), "; ");
  std::vector<Run> runs;
  // Where a run is, by GPU, edition and source; a cell, by its id too; a launch, by its experiment
  // too; and the line of a number, by its metric too.
  std::map<std::vector<std::string>, std::size_t> places;
  for (const Reading& reading : readings.readings) {
    std::vector<std::string> key{reading.gpu, reading.edition, reading.source};
    const auto place = [&](std::size_t next) { return places.emplace(key, next); };
    const auto [run_place, is_new_run] = place(runs.size());
    if (is_new_run) runs.push_back(new_run(reading));
    std::vector<Cell>& cells = runs[run_place->second].cells;
    key.push_back(cell_id(reading.spec));
    const auto [cell_place, is_new_cell] = place(cells.size());
    if (is_new_cell) cells.push_back({key.back(), reading.spec, {}});
    std::vector<Launch>& launches = cells[cell_place->second].launches;
    key.push_back(reading.experiment);
    const auto [launch_place, is_new_launch] = place(launches.size());
    if (is_new_launch) launches.push_back(new_launch(reading, declared, assumed));
    key.emplace_back(reading.metric);
    const auto [line_place, is_new_number] = place(reading.line);
    if (!is_new_number) refuse_twice(reading, line_place->second, declared.file);
    add_numbers(launches[launch_place->second], reading);
  }
  for (const Run& run : runs) {
    if (run.cells.size() <= kMostCells) continue;
    throw InputError(fmt::format("{}: {} cells of one run", declared.file, run.cells.size()),
                     fmt::format("{} are the most: import parts of the table", kMostCells));
  }
  return runs;
}

}  // namespace labreport
