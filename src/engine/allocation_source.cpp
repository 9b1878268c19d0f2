#include "engine/allocation_source.h"

#include <cmath>

#include "engine/cuda_allocations.h"
#include "engine/cuda_device.h"
#include "engine/host_allocator.h"

namespace labreport {
namespace {

void set_listener(DeviceKind device, AllocationListener* listener) {
  device == DeviceKind::kCuda ? set_cuda_listener(listener) : set_host_listener(listener);
}

}  // namespace

AllocationSubscription::AllocationSubscription(DeviceKind device, AllocationListener& listener)
    : device_(device) {
  if (device == DeviceKind::kCuda) block_size_reports_ = report_cuda_block_sizes();
  set_listener(device, &listener);
}

AllocationSubscription::~AllocationSubscription() { set_listener(device_, nullptr); }

std::vector<MemoryBlock> allocated_blocks(DeviceKind device) {
  return device == DeviceKind::kCuda ? allocated_cuda_blocks() : allocated_host_blocks();
}

std::vector<MemorySegment> allocated_segments(DeviceKind device) {
  return device == DeviceKind::kCuda ? cuda_segments() : std::vector<MemorySegment>();
}

std::vector<std::uint64_t> workspace_addresses(DeviceKind device) {
  return device == DeviceKind::kCuda ? cuda_workspace_addresses() : std::vector<std::uint64_t>();
}

std::optional<std::int64_t> memory_limit(DeviceKind device) {
  if (device == DeviceKind::kCpu) return std::nullopt;
  const double fraction = cuda_memory_fraction();
  if (fraction >= 1) return std::nullopt;
  return std::llround(fraction * static_cast<double>(cuda_facts().memory_bytes));
}

}  // namespace labreport
