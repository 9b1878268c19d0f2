// Which problems and parts the commands of a run asked for.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// The names of the profiling half's problems, which `profiling` stands for.
std::vector<std::string> profiling_problems();

/// What the run's commands chose by name, those of all its sessions together: experiments
/// ("ladder") and parts of them ("data_parallel.d");
/// nothing where a session measured all or the profiling half, or its choice cannot be read. A
/// session that went on with another one chose as that did.
std::optional<std::set<std::string>> chosen_problems(const Run& run);

}  // namespace labreport
