// The ordered list of experiments: its order is the report's order.
#pragma once

#include <vector>

#include "experiments/experiment.h"

namespace labreport {

const std::vector<Experiment>& catalog();

/// The names of all editions' parts in the report's order: "benchmarking_script.b".
std::vector<std::string> part_names();

/// The Vega-Lite files of experiments/<folder>/figures/<name>.vl.json.
FigureFileReader figure_files(std::string_view folder);

/// `selector` is "experiment", "experiment.part" or one of `Experiment::aliases`. For an unknown
/// one throws `InputError` with the nearest names.
const Experiment& find_experiment(std::string_view selector);

/// Translates one of `Experiment::aliases` to its part's name; other selectors stay unchanged.
std::string canonical_selector(const std::string& selector);

/// Collects the cells of every selected experiment in order. A cell that two experiments want is
/// planned once, with the larger number of launches. If anything is timed, a `limits` cell comes
/// first. If a run measures labreport's network in addition to the user's, their cells alternate.
std::vector<PlannedCell> plan_cells(const PlanInput& input, const Run& so_far);

/// The whole report of a run. `reference` is true if the run ships with the project.
Document build_document(const Run& run, bool reference);

}  // namespace labreport
