// Joins runs of one device that were measured one after another or on several machines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// Adds the sessions and the launches of `other` to `run`.
void append_run(Run& run, const Run& other);

/// Writes `run`, with copies of the traces and snapshots in `folders`, into a new folder below
/// `root`, and returns that. The folder goes again if this fails.
std::filesystem::path write_joined(const Run& run,
                                   const std::vector<std::filesystem::path>& folders,
                                   const std::string& root);

}  // namespace labreport
