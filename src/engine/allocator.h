// Statistics of LibTorch's caching allocator.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace labreport {

struct AllocatorCounts {
  std::int64_t allocated = 0;  ///< Current bytes in used blocks: torch.cuda.memory_allocated().
  std::int64_t requested = 0;  ///< Current bytes that tensors requested, before rounding.
  std::int64_t reserved = 0;   ///< Current bytes taken from the device, in use or not.
  std::int64_t peak_allocated = 0;
  std::int64_t peak_reserved = 0;
  std::int64_t peak_requested = 0;
  std::int64_t device_allocations = 0;  ///< Calls of cudaMalloc since the process started.
};

/// Returns the device's counts; empty for the CPU, which has no caching allocator.
std::optional<AllocatorCounts> allocator_counts(c10::Device device);

/// Returns the caching allocator's unused memory to the device; does nothing on a CPU.
void release_free_blocks(c10::Device device);

/// Sets each peak to its current value; does nothing on a CPU.
void reset_peaks(c10::Device device);

}  // namespace labreport
