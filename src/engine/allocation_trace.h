// Records what an allocator does, with who asked for it.
#pragma once

#include <map>
#include <mutex>
#include <unordered_map>

#include "engine/allocation_source.h"
#include "engine/call_site.h"

namespace labreport {

/// Records from construction until `finish` or the first allocation that fails: what is freed while
/// the error unwinds says nothing about the step.
class AllocationTrace : public AllocationListener {
 public:
  explicit AllocationTrace(DeviceKind device);

  /// Stops and hands out what was recorded.
  MemoryHistory finish();

  void happened(MemoryEventKind kind, std::uint64_t address, std::int64_t requested) override;
  void took(std::uint64_t address, std::int64_t block) override;

 private:
  MemoryEvent* latest_allocation(std::uint64_t address);
  std::size_t origin_here();

  std::mutex mutex_;
  MemoryHistory history_;
  std::unordered_map<std::uint64_t, std::size_t> latest_;  ///< Address → its last allocation.
  std::map<MemoryOrigin, std::size_t> origins_;
  std::int64_t start_ns_ = 0;
  bool recording_ = true;
  std::optional<CallSites> sites_;
  std::optional<ListenedAllocations> listened_;
};

}  // namespace labreport
