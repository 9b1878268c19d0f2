// Observes the allocations of CUDA's caching allocator and of the counting host allocator.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/allocator.h"
#include "engine/memory_history.h"
#include "results/cell.h"

namespace labreport {

class AllocationListener {
 public:
  virtual ~AllocationListener() = default;
  /// Called on the thread that allocates or frees, while the allocator is locked, so an
  /// implementation must not call the allocator. `requested` is in bytes.
  virtual void happened(MemoryEventKind kind, std::uint64_t address, std::int64_t requested) = 0;
  /// Called after happened() for an allocation; `block` is its size in bytes after rounding.
  virtual void took(std::uint64_t address, std::int64_t block) = 0;
};

/// Forwards the allocator's events to `listener` until destruction; at most one object may exist.
class ListenedAllocations {
 public:
  ListenedAllocations(DeviceKind device, AllocationListener& listener);
  ~ListenedAllocations();
  ListenedAllocations(const ListenedAllocations&) = delete;
  ListenedAllocations& operator=(const ListenedAllocations&) = delete;

 private:
  DeviceKind device_;
  std::shared_ptr<void> sizes_;
};

/// Returns the blocks in use now.
std::vector<MemoryBlock> allocated_blocks(DeviceKind device);
/// Returns the memory that the device has given the allocator; empty on a CPU.
std::vector<MemorySegment> allocated_segments(DeviceKind device);

/// Returns the addresses of cuBLAS's workspaces, kept until the process ends; empty on a CPU.
std::vector<std::uint64_t> workspace_addresses(DeviceKind device);

/// Returns the allocator's limit in bytes; absent on a CPU, or if it may take the whole GPU.
std::optional<std::int64_t> memory_limit(DeviceKind device);

}  // namespace labreport
