// The state of the device around measured steps.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/gpu.h"
#include "results/cell.h"
#include "results/metric.h"

namespace labreport {

/// Reads a GPU's conditions through the driver's library; a CPU has none.
class Conditions {
 public:
  explicit Conditions(DeviceKind kind) : kind_(kind) {}

  /// Opens the driver's library, which takes time; begin() does it if it has not been done.
  void open();

  /// Call begin() before the first measured step and end() after the last.
  void begin();
  void end();

  /// Reads the clocks from another thread in the middle of `work`; after a synchronization they
  /// would be those of an idle device. `work` takes about `expected_ns` and is repeated until the
  /// clocks have been read.
  void sample_clocks(std::int64_t expected_ns, const std::function<void()>& work);

  /// Returns the conditions; a value that the driver does not report is absent with a reason.
  std::vector<Metric> metrics() const;

 private:
  DeviceKind kind_;
  std::unique_ptr<GpuMonitor> monitor_;
  GpuState before_;
  GpuState after_;
  GpuState during_;
  std::optional<std::int64_t> others_;
  std::optional<std::int64_t> spilled_;
};

}  // namespace labreport
