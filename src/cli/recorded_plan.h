// The plan of an interrupted run: its first command's, whatever the command that goes on with it
// leaves out.
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

/// Flags as a command gives them, and the run they go on with.
struct GoneOn {
  std::filesystem::path folder;
  RunFlags flags;
};

/// What `argv`, a command with --resume, goes on with: the run in `root` itself, else the newest
/// below it that was measured, interrupted, and is of the edition and preset that `argv` names.
/// Its flags are those of the run's first command; `argv` may repeat them, choose other --gpus and
/// --timeout, and add --keep-host. Throws `InputError` where there is no such run, or `argv` has a
/// flag that changes its plan, with the command that fits.
GoneOn gone_on_run(const std::filesystem::path& root, const std::vector<std::string>& argv);

/// The flags that the run was begun with, of those that stay with it.
RunFlags begun_with(const Run& run);

/// Those of them that change what is measured, in one order: two runs of one plan have the same.
std::string plan_words(const Run& run);

/// The flags of `argv` on top of those that `run` was begun with; the rest as above.
RunFlags recorded_flags(const Run& run, const std::vector<std::string>& argv);

/// "8 of 40 launches"
std::string kept_words(const Run& run, const std::vector<PlannedCell>& wanted);

/// `argv` is the command that was interrupted.
void say_how_to_go_on(const std::string& kept, const std::filesystem::path& folder,
                      std::vector<std::string> argv);

/// Throws `InputError`: what went wrong, and that the launches which are on the disk, if any, are
/// not lost.
[[noreturn]] void fail_with_kept(const Error& error, const RunStore& store,
                                 const std::vector<PlannedCell>& wanted);

}  // namespace labreport
