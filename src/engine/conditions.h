// A GPU's clocks, slowdowns, temperature and other processes around measured steps.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/gpu.h"
#include "results/cell.h"
#include "results/metric.h"

namespace labreport {

/// Reads a GPU's conditions through the driver's library. Of a CPU it counts the processes of other
/// labreports.
class Conditions {
 public:
  explicit Conditions(DeviceKind kind) : kind_(kind) {}

  /// Opens the driver's library, which takes time. begin() calls it if nobody has.
  void open();

  /// Call begin() before the first measured step and end() after the last.
  void begin();
  void end();

  /// Runs `work`, which takes about `expected_ns`, and reads the clocks from another thread after
  /// half that time, since an idle device lowers its clocks. Repeats `work` until they are read.
  void sample_clocks(std::int64_t expected_ns, const std::function<void()>& work);

  /// Returns the conditions; a value that the driver does not report is absent with a reason.
  std::vector<Metric> metrics() const;

 private:
  DeviceKind kind_;
  std::unique_ptr<GpuMonitor> monitor_;
  GpuState before_, after_, during_;
  std::optional<std::int64_t> other_processes_, spilled_bytes_;
};

}  // namespace labreport
