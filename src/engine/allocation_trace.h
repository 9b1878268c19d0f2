// Records an allocator's events with the code that caused them.
#pragma once

#include <map>
#include <mutex>
#include <unordered_map>

#include "engine/allocation_source.h"
#include "engine/call_site.h"

namespace labreport {

/// Records events from construction until `finish` or the first failed allocation. Frees after that
/// failure are not recorded, because they come from unwinding and not from the step.
class AllocationTrace : public AllocationListener {
 public:
  explicit AllocationTrace(DeviceKind device);

  /// Stops recording and returns the history.
  MemoryHistory finish();

  void on_event(MemoryEventKind kind, std::uint64_t address, std::int64_t bytes) override;
  void on_block_size(std::uint64_t address, std::int64_t block_bytes) override;

 private:
  std::mutex mutex_;
  MemoryHistory history_;
  std::unordered_map<std::uint64_t, std::size_t>
      last_indices_;  ///< Event index of the last allocation at an address.
  std::map<MemoryOrigin, std::size_t> origin_indices_;
  std::int64_t start_ns_ = 0;
  bool recording_ = true;
  std::optional<OriginTracker> origin_tracker_;
  std::optional<AllocationSubscription> subscription_;
};

}  // namespace labreport
