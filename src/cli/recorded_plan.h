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

/// The flags of a command and the run that they continue.
struct GoneOn {
  std::filesystem::path folder;
  RunFlags flags;
};

/// Finds the run that a command with --resume continues: `root` itself, else the newest below it
/// that was measured, interrupted, and is of the edition, preset and shard that `given` names. Its
/// flags are those that the run was begun with; `given` may repeat them, and choose other --gpus
/// and --timeout. Throws `InputError` if there is no such run, or `given` has a flag that changes
/// its plan.
GoneOn gone_on_run(const std::filesystem::path& root, const RunFlags& given);

/// True if the run there was measured in the edition, preset and shard that `given` names. An
/// unreadable one is reported and skipped.
bool is_asked_for(const std::filesystem::path& folder, const Request& given);

/// The flags of its request that change what is measured: two runs of one plan have the same.
std::string plan_words(const Run& run);

/// Adds `given` to the flags that `run` was begun with, under the rules of `gone_on_run`.
RunFlags recorded_flags(const Run& run, const RunFlags& given);

/// "8 of 40 launches"
std::string kept_words(const Run& run, const std::vector<PlannedCell>& wanted);

/// Prints how to continue; `argv` is the command that was interrupted.
void say_how_to_go_on(const std::string& kept, const std::filesystem::path& folder,
                      std::vector<std::string> argv);

/// Throws `InputError` with the failure, and says that launches which are on the disk, if any, are
/// not lost.
[[noreturn]] void fail_with_kept(const Error& error, const RunStore& store,
                                 const std::vector<PlannedCell>& wanted);

}  // namespace labreport
