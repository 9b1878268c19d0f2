// Finds the problems and parts that a run was asked for.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// The names of the profiling half's problems, which `profiling` stands for.
std::vector<std::string> profiling_problems();

/// Returns the names in the request, without expanding `all` or `profiling`.
std::vector<std::string> requested_problems(const Request& request);

/// Returns the experiments ("ladder") and parts ("data_parallel.d") that the run's request names;
/// nothing if it asks for all or the profiling half, or if this version cannot read it.
std::optional<std::set<std::string>> chosen_problems(const Run& run);

}  // namespace labreport
