// The ordered list of experiments: its order is the report's order.
#pragma once

#include <vector>

#include "experiments/experiment.h"

namespace labreport {

const std::vector<Experiment>& catalog();

/// Returns the names of all editions' parts in the report's order: "benchmarking_script.b".
std::vector<std::string> part_names();

/// Returns a function that reads experiments/<folder>/figures/<name>.vl.json by its name.
FigureFileReader figure_files(std::string_view folder);

/// Finds the experiment of a selector: "experiment", "experiment.part" or one of
/// `Experiment::aliases`. Throws `InputError` with the nearest names if it finds none.
const Experiment& find_experiment(std::string_view selector);

/// Translates one of `Experiment::aliases` to its part's name. Other selectors stay unchanged.
std::string canonical_selector(const std::string& selector);

/// Collects the cells of every selected experiment in order. A cell that two experiments want is
/// planned once, with the larger number of launches. If times are compared with peak rates, a
/// `limits` cell comes first. If both labreport's and the user's network are measured, their cells
/// alternate.
std::vector<PlannedCell> plan_cells(const PlanInput& input, const Run& so_far);

/// Builds the whole report of a run. `reference` is true if the run ships with the project. Throws
/// if a part cannot be presented.
Document build_document(const Run& run, bool reference);

/// Builds the report without the parts that cannot be presented, so that none of them costs the
/// report. Adds a line for each to `left_out`: "nsys_profile.b: " and the reason.
Document build_document(const Run& run, bool reference, std::vector<std::string>& left_out);

}  // namespace labreport
