#include "engine/allocation_trace.h"

#include "engine/host_clock.h"

namespace labreport {
namespace {

// Any measured step has far fewer events. The limit keeps a runaway step from filling memory.
constexpr std::size_t kMaxEvents = 2'000'000;

}  // namespace

AllocationTrace::AllocationTrace(DeviceKind device) {
  history_.resident_blocks = allocated_blocks(device);
  history_.segments = allocated_segments(device);
  origin_tracker_.emplace();
  start_ns_ = host_now_ns();
  subscription_.emplace(device, *this);
}

MemoryHistory AllocationTrace::finish() {
  subscription_.reset();
  origin_tracker_.reset();
  const std::scoped_lock lock(mutex_);
  recording_ = false;
  return std::move(history_);
}

void AllocationTrace::on_event(MemoryEventKind kind, std::uint64_t address, std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (!recording_) return;
  if (history_.events.size() == kMaxEvents) {
    ++history_.lost_events;
    return;
  }
  if (kind == MemoryEventKind::kAllocation) last_indices_[address] = history_.events.size();
  const std::int64_t time_ns = host_now_ns() - start_ns_;
  const auto [origin, is_new] =
      origin_indices_.emplace(origin_tracker_->current_origin(), history_.origins.size());
  if (is_new) history_.origins.push_back(origin->first);
  history_.events.push_back(
      {kind, address, bytes, 0, time_ns, origin->second, origin_tracker_->is_casting_weight()});
  recording_ = kind != MemoryEventKind::kOutOfMemory;
}

void AllocationTrace::on_block_size(std::uint64_t address, std::int64_t block_bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = last_indices_.find(address);
  if (recording_ && found != last_indices_.end())
    history_.events[found->second].block_bytes = block_bytes;
}

}  // namespace labreport
