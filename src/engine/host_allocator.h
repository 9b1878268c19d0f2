// The host's allocator, counted: what a CPU has in place of a caching allocator's statistics.
#pragma once

#include <vector>

#include "engine/allocation_source.h"

namespace labreport {

/// From now on tensors on the CPU are counted. What was there before is not. Call it again freely.
void count_host_allocations();

/// Null: nobody listens.
void set_host_listener(AllocationListener* listener);

/// Allocated and requested are the same, since the host's allocator tells of no rounding; there is
/// no reserved. Nothing before `count_host_allocations`.
std::optional<AllocatorCounts> host_counts();
void reset_host_peak();

std::vector<MemoryBlock> host_blocks();

}  // namespace labreport
