// The allocators that can be listened to: LibTorch's caching one, and the host's counted.
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
  /// On whichever thread asked, while the allocator is locked: it must not be called from here.
  virtual void happened(MemoryEventKind kind, std::uint64_t address, std::int64_t requested) = 0;
  /// After an allocation: the bytes of its block.
  virtual void took(std::uint64_t address, std::int64_t block) = 0;
};

/// Listens from construction to destruction; at most one at a time.
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

/// What is allocated now, by address, and what the device has given for it.
std::vector<MemoryBlock> allocated_blocks(DeviceKind device);
std::vector<MemorySegment> allocated_segments(DeviceKind device);

/// cuBLAS's workspace, which it holds until the process ends.
std::vector<std::uint64_t> workspace_addresses(DeviceKind device);

/// Bytes that the allocator may take, where it was told to take less than the device has.
std::optional<std::int64_t> memory_limit(DeviceKind device);

}  // namespace labreport
