// What LibTorch's caching allocator has counted.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace labreport {

struct AllocatorCounts {
  std::int64_t allocated = 0;  ///< Bytes now: PyTorch's number, rounded to blocks.
  std::int64_t requested = 0;  ///< Bytes now that tensors asked for, before rounding.
  std::int64_t reserved = 0;   ///< Bytes now: held from the device, in use or not.
  std::int64_t peak_allocated = 0;
  std::int64_t peak_reserved = 0;
  std::int64_t peak_requested = 0;      ///< Largest `requested`.
  std::int64_t device_allocations = 0;  ///< Times it asked the device for more, ever.
};

/// Nothing for a device without a caching allocator, the CPU.
std::optional<AllocatorCounts> allocator_counts(c10::Device device);

/// Blocks that nothing uses go back to the device.
void release_free_blocks(c10::Device device);

/// Peaks begin anew at what is held now.
void reset_peaks(c10::Device device);

}  // namespace labreport
