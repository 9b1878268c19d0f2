#include "imports/imported_run.h"

#include <fmt/format.h>

#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "results/bounds.h"
#include "results/published_names.h"

namespace labreport {
namespace {

/// Puts readings into one run.
class RunBuilder {
 public:
  RunBuilder(const Reading& first, const Declared& declared, const std::set<std::string>& assumed)
      : declared_(declared) {
    run.edition = first.edition;
    run.preset = "none";
    run.source = "imported";
    Device device;
    device.kind = DeviceKind::kCuda;
    device.name = first.gpu;
    run.devices = {device};
    const std::vector<std::string> words(assumed.begin(), assumed.end());
    assumed_ = join(words, "; ");
  }

  void add(const Reading& reading) {
    const std::string id = cell_id(reading.spec);
    check_new(reading, id);
    const auto [cell, is_new_cell] = cells_.emplace(id, run.cells.size());
    if (is_new_cell) run.cells.push_back({id, reading.spec, {}});
    std::vector<Launch>& launches = run.cells[cell->second].launches;
    const auto [launch, is_new] =
        launches_.emplace(std::tuple(id, reading.experiment), launches.size());
    if (is_new) launches.push_back(new_launch(reading));
    add_numbers(launches[launch->second], reading);
  }

  Run run;

 private:
  void check_new(const Reading& reading, const std::string& id) {
    const auto [known, is_new] =
        lines_.emplace(std::tuple(id, reading.experiment, reading.name), reading.line);
    if (is_new) return;
    const CellSpec& spec = reading.spec;
    refuse_line(
        declared_.file, reading.line,
        fmt::format("repeats line {}: {}, {} {}, context {}, {}", known->second, spec.size,
                    describe(*spec.mode), reading.name, *spec.context, describe(*spec.precision)),
        "keep one row of them, or import tables apart with --table");
  }

  Launch new_launch(const Reading& reading) const {
    Launch launch;
    launch.device = 0;
    launch.outcome = reading.outcome;
    const auto note = [&](std::string_view name, const std::string& text) {
      if (!text.empty()) {
        launch.conditions.push_back(text_metric(metric::kProvenance, name, text));
      }
    };
    note(metric::kTitle, declared_.title);
    note(metric::kSource, reading.source);
    note(metric::kFile, declared_.file);
    note(metric::kPlace, fmt::format("line {}", reading.line));
    note(metric::kExperiment, reading.experiment);
    note(metric::kAssumed, assumed_);
    return launch;
  }

  static void add_numbers(Launch& launch, const Reading& reading) {
    if (!is_ok(reading.outcome)) {
      launch.outcome = reading.outcome;
      return;
    }
    const bool time = reading.spec.kind == CellKind::kTiming;
    launch.metrics.push_back(
        integer_metric(metric::kPublished, reading.name, time ? "ns" : "B", reading.value));
    if (!time) return;
    launch.metrics.push_back(integer_metric(metric::kPublishedStddev, reading.name, "ns",
                                            reading.deviation, "the table has none"));
  }

  const Declared& declared_;
  std::string assumed_;
  std::map<std::string, std::size_t> cells_;
  std::map<std::tuple<std::string, std::string>, std::size_t> launches_;
  std::map<std::tuple<std::string, std::string, std::string_view>, std::size_t> lines_;
};

}  // namespace

std::vector<Run> imported_runs(const std::vector<Reading>& readings, const Declared& declared,
                               const std::set<std::string>& assumed) {
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  std::vector<RunBuilder> builders;
  for (const Reading& reading : readings) {
    const auto [place, is_new] =
        places.emplace(std::tuple(reading.gpu, reading.edition, reading.source), builders.size());
    if (is_new) builders.emplace_back(reading, declared, assumed);
    builders[place->second].add(reading);
  }
  std::vector<Run> runs;
  runs.reserve(builders.size());
  for (RunBuilder& builder : builders) {
    if (builder.run.cells.size() > kMostCells) {
      throw InputError(
          fmt::format("{}: {} cells of one run", declared.file, builder.run.cells.size()),
          fmt::format("{} are the most: import parts of the table", kMostCells));
    }
    runs.push_back(std::move(builder.run));
  }
  return runs;
}

}  // namespace labreport
