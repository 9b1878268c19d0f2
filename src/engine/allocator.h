// Statistics of LibTorch's caching allocator.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace labreport {

/// Counts of one device; peaks are the highest values since reset_peaks().
struct AllocatorCounts {
  std::int64_t allocated_bytes = 0;  ///< In blocks in use: torch.cuda.memory_allocated().
  std::int64_t requested_bytes = 0;  ///< Requested by tensors, before rounding to blocks.
  std::int64_t reserved_bytes = 0;   ///< Taken from the device, in use or not.
  std::int64_t peak_allocated_bytes = 0, peak_reserved_bytes = 0, peak_requested_bytes = 0;
  std::int64_t device_allocations = 0;  ///< Calls of cudaMalloc since the process started.
};

/// Returns the device's counts; empty for the CPU, which has no caching allocator.
std::optional<AllocatorCounts> allocator_counts(c10::Device device);

/// Returns the caching allocator's unused memory to the device; does nothing on a CPU.
void release_free_blocks(c10::Device device);

/// Sets each peak to its current value; does nothing on a CPU.
void reset_peaks(c10::Device device);

}  // namespace labreport
