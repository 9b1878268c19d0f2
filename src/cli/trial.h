// Tries one step of the user's code before anything is measured.
#pragma once

#include <filesystem>
#include <vector>

#include "orchestrate/launch.h"
#include "plan/planner.h"

namespace labreport {

/// Launches the smallest planned cell of the user's model or attention once, with one step, and
/// keeps no result. If it fails, writes the traceback into a file under `root` and throws
/// `InputError`: one line with the call, its arguments and the file. Running out of memory is no
/// failure.
void try_once(const std::vector<PlannedCell>& wanted, const WorkerSetup& worker, const Slot& slot,
              const std::filesystem::path& root);

}  // namespace labreport
