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
  /// Called on the thread that allocates or frees. The allocator is locked meanwhile, so an
  /// implementation must not call it. `bytes` is the requested size.
  virtual void on_event(MemoryEventKind kind, std::uint64_t address, std::int64_t bytes) = 0;
  /// Called after on_event() for an allocation. `block_bytes` is its size after rounding.
  virtual void on_block_size(std::uint64_t address, std::int64_t block_bytes) = 0;
};

/// Forwards the allocator's events to `listener` until destruction; at most one object may exist.
class AllocationSubscription {
 public:
  AllocationSubscription(DeviceKind device, AllocationListener& listener);
  ~AllocationSubscription();
  AllocationSubscription(const AllocationSubscription&) = delete;
  AllocationSubscription& operator=(const AllocationSubscription&) = delete;

 private:
  DeviceKind device_;
  std::shared_ptr<void> block_size_reports_;
};

std::vector<MemoryBlock> allocated_blocks(DeviceKind device);
/// Returns the memory that the device has given the allocator; empty on a CPU.
std::vector<MemorySegment> allocated_segments(DeviceKind device);

/// Returns the addresses of cuBLAS's workspaces, kept until the process ends; empty on a CPU.
std::vector<std::uint64_t> workspace_addresses(DeviceKind device);

/// Returns the allocator's limit in bytes; absent on a CPU, or if it may take the whole GPU.
std::optional<std::int64_t> memory_limit(DeviceKind device);

}  // namespace labreport
