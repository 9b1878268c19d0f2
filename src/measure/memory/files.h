// Writes a memory history as files for other programs.
#pragma once

#include <string>

#include "measure/memory/timeline.h"

namespace labreport {

/// Returns a snapshot for PyTorch's memory_viz and `torch.cuda._memory_viz`. The operator,
/// operation, module and phase of each allocation take the place of its stack frames.
std::string snapshot_pickle(const MemoryTimeline& timeline);

/// Returns CSV with a row for each allocation, including those from before the step.
std::string allocations_csv(const MemoryTimeline& timeline);

/// Returns Chrome's JSON trace format for Perfetto and chrome://tracing: a counter of requested
/// bytes by category, and a slice for each phase.
std::string memory_counter(const MemoryTimeline& timeline);

/// Writes snapshot, CSV and counter to files named `path_prefix` plus an ending from `artifact::`,
/// and creates their folder. Nothing is written if `path_prefix` is empty. A failure does not end
/// the measurement: it is returned as a warning. Success returns an empty text.
std::string keep_memory_files(const std::string& path_prefix, const MemoryTimeline& timeline);

}  // namespace labreport
