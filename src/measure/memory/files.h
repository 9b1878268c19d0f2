// Writes a memory history as files for other programs.
#pragma once

#include <cstdint>
#include <string>

#include "measure/memory/timeline.h"

namespace labreport {

/// Returns a snapshot for PyTorch's memory_viz and `torch.cuda._memory_viz`. Instead of a stack of
/// source lines, each allocation has its operator, operation, modules and phase.
std::string snapshot_pickle(const MemoryTimeline& timeline);

/// Returns every allocation as CSV, including those before the step.
std::string allocations_csv(const MemoryTimeline& timeline);

/// Returns requested bytes by category as a counter, with the phases, for Perfetto and
/// chrome://tracing.
std::string memory_counter(const MemoryTimeline& timeline);

/// Writes the three files, named `beginning` plus the endings of `artifact::`, and creates their
/// folder. Throws `Error` on failure. Returns their total bytes.
std::uintmax_t write_memory_files(const std::string& beginning, const MemoryTimeline& timeline);

/// Writes the files unless `beginning` is empty. The measurement does not depend on them: a failure
/// is returned as a warning, success as an empty text.
std::string keep_memory_files(const std::string& beginning, const MemoryTimeline& timeline);

}  // namespace labreport
