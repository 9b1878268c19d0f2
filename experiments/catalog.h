// The ordered list of experiments: its order is the report's order.
#pragma once

#include <vector>

#include "experiments/experiment.h"

namespace labreport {

const std::vector<Experiment>& catalog();

/// Every part of every edition by its name, in the report's order: "benchmarking_script.b".
std::vector<std::string> part_names();

/// The Vega-Lite files of experiments/<folder>/figures/<name>.vl.json.
FigureFiles figure_files(std::string_view folder);

/// Throws `InputError` with the nearest names. `selector` is "experiment" or "experiment.part", or
/// one of `Experiment::aliases`.
const Experiment& find_experiment(std::string_view selector);

/// Translates a name in `Experiment::aliases` to the part's name; returns any other selector
/// unchanged.
std::string canonical_selector(const std::string& selector);

/// Asks every selected experiment in order; a cell that two of them want is planned once, with the
/// larger number of launches. A `limits` cell comes first wherever anything is timed. If a run
/// measures labreport's network in addition to the user's, each is planned by its own results, and
/// their cells alternate.
std::vector<PlannedCell> plan_cells(const PlanInput& input, const Run& so_far);

/// The whole report of a run. `reference`: the run ships with the project.
Document build_document(const Run& run, bool reference);

}  // namespace labreport
