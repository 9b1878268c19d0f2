// A history as files for other programs.
#pragma once

#include <cstdint>
#include <string>

#include "measure/memory/timeline.h"

namespace labreport {

/// A snapshot as PyTorch's memory_viz and `torch.cuda._memory_viz` open it. In place of a stack of
/// source lines each allocation has its operator, operation, modules and phase.
std::string snapshot_pickle(const MemoryTimeline& timeline);

/// Every allocation, also those before the step, as CSV.
std::string allocations_csv(const MemoryTimeline& timeline);

/// Requested bytes by category as a counter, under the phases, for Perfetto and chrome://tracing.
std::string memory_counter(const MemoryTimeline& timeline);

/// All three beside each other, their names as `artifact::` ends them; makes their folder. Throws
/// `Error` where it cannot. Returns how many bytes they have.
std::uintmax_t write_memory_files(const std::string& beginning, const MemoryTimeline& timeline);

/// The same where `beginning` is not empty. The measurement stands without them: what went wrong is
/// a warning, empty where nothing did.
std::string keep_memory_files(const std::string& beginning, const MemoryTimeline& timeline);

}  // namespace labreport
