// What is said of launches that are on the disk when a run ends before its plan does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/planner.h"
#include "results/run_store.h"

namespace labreport {

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
