// Restores the plan of an interrupted run: the flags it was begun with, even if the command that
// continues it leaves them out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/measure.h"
#include "plan/planner.h"
#include "results/run.h"
#include "results/run_store.h"

namespace labreport {

struct ResumedRun {
  std::filesystem::path folder;
  RunFlags flags;
};

/// Finds the run that a command with --resume continues: `root` itself, else the newest below it
/// that was measured, interrupted, and is of the edition, preset and shard that `given` names. Its
/// flags are those that the run was begun with; `given` may repeat them, and choose other --gpus
/// and --timeout. Throws `InputError` if there is no such run, or `given` has a flag that changes
/// its plan.
ResumedRun run_to_resume(const std::filesystem::path& root, const RunFlags& given);

/// True if the run there was measured in the edition, preset and shard that `given` names. Reports
/// an unreadable run and returns false.
bool is_asked_for(const std::filesystem::path& folder, const Request& given);

/// Returns the run's flags that change what is measured; they are equal for two runs of one plan.
std::string plan_words(const Run& run);

/// Adds `given` to the flags that `run` was begun with, under the rules of `run_to_resume`.
RunFlags recorded_flags(const Run& run, const RunFlags& given);

/// Prints how many launches the interrupted run kept, and the command that resumes it; `argv` is
/// the interrupted command.
void say_how_to_resume(const Run& run, const std::vector<PlannedCell>& wanted,
                       const std::filesystem::path& folder, std::vector<std::string> argv);

/// Throws `InputError` with the failure and the number of launches that are kept on disk, if any.
[[noreturn]] void throw_with_kept_launches(const Error& error, const RunStore& store,
                                           const std::vector<PlannedCell>& wanted);

}  // namespace labreport
