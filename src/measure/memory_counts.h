// What steps did to the device's memory.
#pragma once

#include <c10/core/Device.h>

#include <vector>

#include "engine/allocator.h"
#include "results/metric.h"

namespace labreport {

class MemoryCounts {
 public:
  /// Peaks count from here.
  MemoryCounts(c10::Device device, std::int64_t parameter_bytes);

  /// Device allocations count from `begin` to `end`, peaks end at `end`.
  void begin();
  void end();

  std::vector<Metric> metrics() const;  ///< Tagged "memory".
  Metric device_allocations() const;

 private:
  c10::Device device_;
  std::int64_t parameter_bytes_;
  std::optional<AllocatorCounts> before_;
  std::optional<AllocatorCounts> after_;
};

}  // namespace labreport
