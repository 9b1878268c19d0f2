// Counts the effect of steps on the device's memory.
#pragma once

#include <c10/core/Device.h>

#include <vector>

#include "engine/allocator.h"
#include "results/metric.h"

namespace labreport {

class MemoryCounts {
 public:
  /// Peaks count from construction.
  MemoryCounts(c10::Device device, std::int64_t parameter_bytes);

  /// Records the device allocations since the previous call.
  void note_step();

  /// Device allocations count from `begin` to `end`; peaks end at `end`.
  void begin();
  void end();

  std::vector<Metric> metrics() const;  ///< Tagged "memory".
  Metric device_allocations() const;
  /// One value for each recorded step; empty on a CPU.
  const std::vector<std::int64_t>& step_allocations() const { return step_allocations_; }

 private:
  c10::Device device_;
  std::int64_t parameter_bytes_;
  std::int64_t noted_ = 0;
  std::vector<std::int64_t> step_allocations_;
  std::optional<AllocatorCounts> before_;
  std::optional<AllocatorCounts> after_;
};

}  // namespace labreport
