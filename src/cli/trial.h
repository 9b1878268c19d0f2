// Tries the user's code before anything is measured.
#pragma once

#include <filesystem>
#include <vector>

#include "orchestrate/launch.h"
#include "plan/planner.h"

namespace labreport {

/// Launches the smallest planned cells of the user's model or attention with one step, one for each
/// precision and head dimension, until one runs, and keeps no result. If none runs, writes the
/// first traceback into a file under `root` and throws `InputError`: one line with the call, its
/// arguments and the file, or the reason for which all were skipped. Running out of memory is no
/// failure.
void try_once(const std::vector<PlannedCell>& wanted, const WorkerSetup& worker, const Slot& slot,
              const std::filesystem::path& root);

}  // namespace labreport
