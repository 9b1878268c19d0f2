#include "engine/allocator.h"

#include <c10/core/CachingDeviceAllocator.h>

#include "engine/torch_versions.h"

namespace labreport {
namespace {

const c10::CachingAllocator::Stat& aggregate(const c10::CachingAllocator::StatArray& stats) {
  return stats[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
}

}  // namespace

std::optional<AllocatorCounts> allocator_counts(c10::Device device) {
  if (device.is_cpu()) return std::nullopt;
  const auto stats = device_allocator(device)->getDeviceStats(device.index());
  return AllocatorCounts{
      .allocated_bytes = aggregate(stats.allocated_bytes).current,
      .requested_bytes = aggregate(stats.requested_bytes).current,
      .reserved_bytes = aggregate(stats.reserved_bytes).current,
      .peak_allocated_bytes = aggregate(stats.allocated_bytes).peak,
      .peak_reserved_bytes = aggregate(stats.reserved_bytes).peak,
      .peak_requested_bytes = aggregate(stats.requested_bytes).peak,
      .device_allocations = stats.num_device_alloc,
  };
}

void release_free_blocks(c10::Device device) {
  if (device.is_cuda()) device_allocator(device)->emptyCache();
}

void reset_peaks(c10::Device device) {
  if (device.is_cpu()) return;
  device_allocator(device)->resetPeakStats(device.index());
}

}  // namespace labreport
