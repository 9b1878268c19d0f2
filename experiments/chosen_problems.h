// Reads from a request which problems and parts the user wants.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// Returns the names of the problems that the selector `profiling` stands for.
std::vector<std::string> profiling_problems();

/// Returns the selectors in the request; `all` and `profiling` stay as they are.
std::vector<std::string> requested_problems(const Request& request);

/// Returns the experiments ("ladder") and parts ("data_parallel.d") that the run's request names.
/// Returns nothing if it names `all`, only `profiling`, or a problem that this version lacks.
std::optional<std::set<std::string>> chosen_problems(const Run& run);

/// Tells whether the run's request names a problem of the profiling half. Other problems measure
/// steps, too, but as the base of what they compare.
bool measures_profiling(const Run& run);

}  // namespace labreport
