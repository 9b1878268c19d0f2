// A counting host allocator, which gives a CPU the statistics of a caching allocator.
#pragma once

#include <vector>

#include "engine/allocation_source.h"

namespace labreport {

/// Starts counting allocations on the CPU; earlier ones are not counted. Further calls do nothing.
void count_host_allocations();

/// Sets the listener; null removes it. Does nothing before `count_host_allocations`.
void set_host_listener(AllocationListener* listener);

/// Returns the counts; empty before `count_host_allocations`. Allocated equals requested, because
/// the host's allocator reports no rounding, and reserved stays 0.
std::optional<AllocatorCounts> host_counts();
void reset_host_peak();

std::vector<MemoryBlock> allocated_host_blocks();

}  // namespace labreport
