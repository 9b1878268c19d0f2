#include "imports/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "imports/row.h"
#include "results/bounds.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

/// Each thing is said once: by no two columns, by no column and a flag.
void check_columns(const UnderstoodTable& understood, const Declared& declared) {
  const auto refuse = [&](const std::string& problem, const std::string& remedy) {
    refuse_line(declared.file, understood.table.line, problem, remedy);
  };
  std::map<std::pair<Role, std::string>, std::string> names;
  for (const ImportColumn& column : understood.columns) {
    Meaning thing = column.meaning;
    thing.unit = nullptr;
    if (thing.role == Role::kIgnored) continue;
    const std::string name = in_quotes(column.name);
    const std::string value = thing.role == Role::kValue ? describe(thing) : "";
    const auto [first, is_new] = names.emplace(std::pair(thing.role, value), name);
    if (!is_new) {
      refuse(fmt::format("{} and {} both say: {}", first->second, name, describe(column)),
             "--map COLUMN=ignored leaves one of them out");
    }
    if (thing.role == Role::kValue && !thing.subject && !understood.find(Role::kMode)) {
      refuse(name + " does not say what was timed, and no other column does",
             "say --map " + name + "=forward, or what it is");
    }
    if (declared.facts.contains(thing.role)) {
      refuse(fmt::format("{} and a flag both say: {}", name, describe(column)),
             "leave the flag out");
    }
  }
}

/// Sizes of tables that name no edition beside them, as far as some edition knows them.
std::set<std::string> named_sizes(const std::vector<UnderstoodTable>& tables) {
  std::set<std::string> names;
  for (const UnderstoodTable& understood : tables) {
    if (understood.find(Role::kEdition) != nullptr) continue;
    const std::size_t index = understood.find(Role::kSize)->index;
    for (const TableRow& row : understood.table.rows) names.insert(row.cells.at(index));
  }
  std::erase_if(names, [](const std::string& name) { return !is_size(name); });
  return names;
}

/// The only edition that has all of these sizes, else the first if they are the same networks in
/// each.
std::string edition_of(const std::set<std::string>& sizes, Readings& into) {
  std::vector<const Edition*> fitting;
  for (const Edition& edition : editions()) {
    const auto knows = [&](const std::string& size) {
      return size_named(edition, size) != nullptr;
    };
    if (std::ranges::all_of(sizes, knows)) fitting.push_back(&edition);
  }
  if (fitting.size() == 1) return fitting.front()->name;
  const Edition& first = editions().front();
  const auto differs = std::ranges::find_if(sizes, [&](const std::string& size) {
    return fitting.empty() || std::ranges::any_of(fitting, [&](const Edition* edition) {
             return size_named(*edition, size)->shape != size_named(first, size)->shape;
           });
  });
  if (differs != sizes.end()) {
    into.missing["--edition 2025 or --edition 2026"] =
        "the editions differ in size " + in_quotes(*differs);
  } else if (!sizes.empty()) {
    into.assumed.insert("edition " + first.name +
                        ", whose sizes these are too: --edition says otherwise");
  }
  return first.name;
}

void refuse_missing(const Readings& readings, const std::string& file) {
  std::vector<std::string> flags;
  std::vector<std::string> problems;
  for (const auto& [flag, problem] : readings.missing) {
    flags.push_back(flag);
    problems.push_back(problem);
  }
  if (!flags.empty()) {
    throw InputError(file + ": " + join(problems, "; "), "say " + join(flags, ", and "));
  }
}

Readings read_tables(const std::vector<UnderstoodTable>& tables, const Declared& declared) {
  Readings readings;
  const auto said = declared.facts.find(Role::kEdition);
  const std::string edition =
      said != declared.facts.end() ? said->second : edition_of(named_sizes(tables), readings);
  for (const UnderstoodTable& understood : tables) {
    check_columns(understood, declared);
    for (const TableRow& row : understood.table.rows) {
      read_row(understood, row, declared, edition, readings);
    }
  }
  refuse_missing(readings, declared.file);
  return readings;
}

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

void add_number(Launch& launch, const Reading& reading) {
  if (!is_ok(reading.outcome)) launch.outcome = reading.outcome;
  if (!is_ok(reading.outcome)) return;
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

std::vector<Run> runs_of(const Readings& readings, const Declared& declared) {
  const std::string assumed =
      join(std::vector(readings.assumed.begin(), readings.assumed.end()), "; ");
  std::vector<Run> runs;
  // Where a run is, by GPU, edition and source; a cell, by its id too; a launch, by its experiment
  // too; and the line of a number, by its metric too.
  std::map<std::vector<std::string>, std::size_t> places;
  for (const Reading& reading : readings.readings) {
    std::vector<std::string> key{reading.gpu, reading.edition, reading.source};
    const auto place_in = [&](auto& list, const auto& fresh) -> auto& {
      const auto [place, is_new] = places.emplace(key, list.size());
      if (is_new) list.push_back(fresh());
      return list[place->second];
    };
    Run& run = place_in(runs, [&] { return new_run(reading); });
    key.push_back(cell_id(reading.spec));
    Cell& cell = place_in(run.cells, [&] { return Cell{key.back(), reading.spec, {}}; });
    key.push_back(reading.experiment);
    Launch& launch =
        place_in(cell.launches, [&] { return new_launch(reading, declared, assumed); });
    key.emplace_back(reading.metric);
    const auto [line, is_new] = places.emplace(key, reading.line);
    if (!is_new) refuse_twice(reading, line->second, declared.file);
    add_number(launch, reading);
  }
  return runs;
}

}  // namespace

Imported import_tables(const std::vector<UnderstoodTable>& tables, const Declared& declared) {
  Readings readings = read_tables(tables, declared);
  Imported imported{runs_of(readings, declared), std::move(readings.assumed),
                    std::move(readings.left_out)};
  for (const Run& run : imported.runs) {
    if (run.cells.size() <= kMostCells) continue;
    throw InputError(fmt::format("{}: {} cells of one run", declared.file, run.cells.size()),
                     fmt::format("{} are the most: import parts of the table", kMostCells));
  }
  return imported;
}

}  // namespace labreport
