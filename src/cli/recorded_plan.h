// Restores the plan of an interrupted run from the flags that it was begun with, even if the
// command that resumes it leaves them out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/measure.h"
#include "orchestrate/pool.h"
#include "plan/planner.h"
#include "results/run.h"
#include "results/run_store.h"

namespace labreport {

struct ResumedRun {
  std::filesystem::path folder;
  RunFlags flags;
};

/// Finds the run that a command with --resume continues: the one in `root` itself, or else the
/// newest measured, interrupted run below it with the edition, preset and shard that `given` names.
/// `given` are the command's flags. The returned flags are those that the run was begun with;
/// `given` may repeat them, and choose other --gpus and --timeout. Throws `InputError` if there is
/// no such run, or if `given` has a flag that changes the run's plan.
ResumedRun run_to_resume(const std::filesystem::path& root, const RunFlags& given);

/// Throws `InputError`, which says that there is no interrupted run of these flags below `root`.
[[noreturn]] void refuse_nothing_to_resume(const Request& given, const std::filesystem::path& root);

/// True if the run in `folder` was measured with the edition, preset and shard that `given` names.
/// Reports an unreadable run and returns false.
bool matches_request(const std::filesystem::path& folder, const Request& given);

/// Returns the run's flags that decide on its plan. Two runs of one plan have equal ones.
std::string plan_flags(const Run& run);

/// Returns the flags that `run` was begun with, completed by `given` as for `run_to_resume`.
RunFlags recorded_flags(const Run& run, const RunFlags& given);

/// Prints the number of launches that the interrupted run kept, and the command that resumes it.
/// `argv` is the interrupted command.
void say_how_to_resume(const Run& run, const std::vector<PlannedCell>& wanted,
                       const std::filesystem::path& folder, std::vector<std::string> argv);

/// Throws `InputError` with the error and the number of launches that are kept on disk, if there
/// are any.
[[noreturn]] void throw_with_kept_launches(const Error& error, const RunStore& store,
                                           const PlanCells& plan);

}  // namespace labreport
