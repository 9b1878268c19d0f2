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

/// Returns the problems and parts as the request names them; `all` and `profiling` stay words.
std::vector<std::string> requested_problems(const Request& request);

/// Returns what the run's request chose by name: experiments ("ladder") and parts of them
/// ("data_parallel.d"); nothing if it chose all or the profiling half, or cannot be read.
std::optional<std::set<std::string>> chosen_problems(const Run& run);

}  // namespace labreport
