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

/// Conditions of a GPU, from the driver's library; of a CPU there are none.
class Conditions {
 public:
  explicit Conditions(DeviceKind kind);

  /// Before the first measured step and after the last.
  void begin();
  void end();

  /// Looks at the clocks in the middle of `work`, from another thread: after a synchronization
  /// they would be those of an idle device. `work` takes about `expected_ns` and is repeated until
  /// the look is over.
  void sample_clocks(std::int64_t expected_ns, const std::function<void()>& work);

  /// What was seen; absent with its reason where the driver does not tell.
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
