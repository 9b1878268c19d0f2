// Memory peaks of a series of steps, and the allocations that the steps requested from the device.
#pragma once

#include <c10/core/Device.h>

#include <vector>

#include "engine/allocator.h"
#include "results/metric.h"

namespace labreport {

class StepMemory {
 public:
  /// Resets the allocator's peaks.
  StepMemory(c10::Device device, std::int64_t parameter_bytes);

  /// Call this after each step. It records how many allocations the caching allocator requested
  /// from the device since the previous call or, at first, since construction.
  void note_step();

  /// device_allocations() covers the time from `begin` to `end`; peaks cover the time from
  /// construction to `end`. Both are absent without these calls.
  void begin();
  void end();

  std::vector<Metric> metrics() const;  ///< Tagged "memory".
  Metric device_allocations() const;
  /// Returns one value for each recorded step; empty on a CPU.
  const std::vector<std::int64_t>& step_allocations() const { return step_allocations_; }

 private:
  c10::Device device_;
  std::int64_t parameter_bytes_;
  std::int64_t last_device_allocations_ = 0;
  std::vector<std::int64_t> step_allocations_;
  std::optional<AllocatorCounts> before_, after_;
};

}  // namespace labreport
