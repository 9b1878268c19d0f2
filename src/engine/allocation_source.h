// Observes two allocators: LibTorch's caching one, and the host's counting one.
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
  /// Called on the allocating thread while the allocator is locked, so the allocator must not be
  /// called from here.
  virtual void happened(MemoryEventKind kind, std::uint64_t address, std::int64_t requested) = 0;
  /// Called after an allocation with the bytes of its block.
  virtual void took(std::uint64_t address, std::int64_t block) = 0;
};

/// Forwards events from construction to destruction; at most one object at a time.
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

/// The first returns the current allocations, the second the memory that the device has given for
/// them.
std::vector<MemoryBlock> allocated_blocks(DeviceKind device);
std::vector<MemorySegment> allocated_segments(DeviceKind device);

/// Returns the addresses of cuBLAS's workspaces, which it keeps until the process ends.
std::vector<std::uint64_t> workspace_addresses(DeviceKind device);

/// Returns the bytes that the allocator may take; absent if it may take the whole device.
std::optional<std::int64_t> memory_limit(DeviceKind device);

}  // namespace labreport
