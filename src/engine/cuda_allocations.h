// Observes CUDA's caching allocator. A build without CUDA reports nothing and finds no memory.
#pragma once

#include <memory>
#include <vector>

#include "engine/allocation_source.h"

namespace labreport {

/// Sets the listener of the allocator's events; null removes it. The callback that passes on events
/// stays registered until the process ends.
void set_cuda_listener(AllocationListener* listener);

/// While the returned object exists, this thread and autograd's threads report the block sizes of
/// allocations to the listener.
std::shared_ptr<void> report_cuda_block_sizes();

std::vector<MemoryBlock> allocated_cuda_blocks();
std::vector<MemorySegment> cuda_segments();
std::vector<std::uint64_t> cuda_workspace_addresses();  ///< cuBLAS's and cuBLASLt's workspaces.

/// Returns the fraction of the GPU's memory that the allocator may take; 1 by default.
double cuda_memory_fraction();

}  // namespace labreport
