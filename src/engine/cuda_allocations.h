// CUDA's caching allocator, listened to. In a build without CUDA nothing happens and nothing is
// there.
#pragma once

#include <memory>
#include <vector>

#include "engine/allocation_source.h"

namespace labreport {

/// Null: nobody listens. The allocator keeps calling us for the life of the process.
void set_cuda_listener(AllocationListener* listener);

/// While the returned object exists, this thread and autograd's tell the listener what allocations
/// took.
std::shared_ptr<void> report_cuda_block_sizes();

std::vector<MemoryBlock> cuda_blocks();
std::vector<MemorySegment> cuda_segments();
std::vector<std::uint64_t> cuda_workspaces();

/// The share of the device that the allocator may take: 1, unless LibTorch was told otherwise.
double cuda_memory_fraction();

}  // namespace labreport
