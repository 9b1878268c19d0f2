// Records an allocator's events with the code that caused them.
#pragma once

#include <map>
#include <mutex>
#include <unordered_map>

#include "engine/allocation_source.h"
#include "engine/call_site.h"

namespace labreport {

/// Records from construction until `finish` or the first failed allocation. Memory freed while that
/// error unwinds says nothing about the step.
class AllocationTrace : public AllocationListener {
 public:
  explicit AllocationTrace(DeviceKind device);

  /// Stops recording and returns the history.
  MemoryHistory finish();

  void happened(MemoryEventKind kind, std::uint64_t address, std::int64_t requested) override;
  void took(std::uint64_t address, std::int64_t block) override;

 private:
  std::mutex mutex_;
  MemoryHistory history_;
  std::unordered_map<std::uint64_t, std::size_t>
      latest_;  ///< Index of each address's last allocation.
  std::map<MemoryOrigin, std::size_t> origins_;
  std::int64_t start_ns_ = 0;
  bool recording_ = true;
  std::optional<CallSites> sites_;
  std::optional<ListenedAllocations> listened_;
};

}  // namespace labreport
