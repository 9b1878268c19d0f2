#include "engine/allocation_trace.h"

#include "engine/host_clock.h"

namespace labreport {
namespace {

// Any measured step has far fewer events. The limit keeps a runaway step from filling memory.
constexpr std::size_t kMostEvents = 2'000'000;

}  // namespace

AllocationTrace::AllocationTrace(DeviceKind device) {
  history_.resident = allocated_blocks(device);
  history_.segments = allocated_segments(device);
  sites_.emplace();
  start_ns_ = host_now_ns();
  listened_.emplace(device, *this);
}

MemoryHistory AllocationTrace::finish() {
  listened_.reset();
  sites_.reset();
  const std::scoped_lock lock(mutex_);
  recording_ = false;
  return std::move(history_);
}

void AllocationTrace::happened(MemoryEventKind kind, std::uint64_t address,
                               std::int64_t requested) {
  const std::scoped_lock lock(mutex_);
  if (!recording_) return;
  if (history_.events.size() == kMostEvents) {
    ++history_.lost;
    return;
  }
  if (kind == MemoryEventKind::kAllocation) latest_[address] = history_.events.size();
  const std::int64_t time_ns = host_now_ns() - start_ns_;
  const auto [origin, fresh] = origins_.emplace(sites_->here(), history_.origins.size());
  if (fresh) history_.origins.push_back(origin->first);
  history_.events.push_back(
      {kind, address, requested, 0, time_ns, origin->second, sites_->casting_weight()});
  recording_ = kind != MemoryEventKind::kOutOfMemory;
}

void AllocationTrace::took(std::uint64_t address, std::int64_t block) {
  const std::scoped_lock lock(mutex_);
  const auto latest = latest_.find(address);
  if (recording_ && latest != latest_.end()) history_.events[latest->second].block = block;
}

}  // namespace labreport
