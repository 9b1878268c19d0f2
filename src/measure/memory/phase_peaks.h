// The peak memory of each phase of a step.
#pragma once

#include <c10/core/Device.h>

#include <map>
#include <optional>
#include <vector>

#include "engine/allocator.h"
#include "engine/phase.h"
#include "results/metric.h"

namespace labreport {

/// Returns the caching allocator's statistics. On a CPU it returns the host allocator's, or nothing
/// before count_host_allocations().
std::optional<AllocatorCounts> memory_counts(c10::Device device);
/// Resets the peaks to the memory in use now.
void reset_memory_peaks(c10::Device device);

/// Records the peak memory of each phase and the memory in use before. The allocator's statistics
/// change when work is enqueued, so the end of a phase needs no synchronization.
class PhasePeaks : public PhaseObserver {
 public:
  explicit PhasePeaks(c10::Device device);

  void on_phase_end(Phase phase) override;
  /// Ends the phase that ran out of memory.
  void on_failure() { on_phase_end(latest_phase()); }

  /// Returns the largest value of `field` over the phases so far; empty if none was recorded.
  std::optional<std::int64_t> highest(std::int64_t AllocatorCounts::* field) const;

  /// Returns the peak of allocated bytes in the phase; empty if it was not recorded.
  std::optional<std::int64_t> peak_of(Phase phase) const;

  /// Returns bytes tagged "resident" (in use before), and "peak" and "peak_requested" by phase.
  std::vector<Metric> metrics() const;

 private:
  c10::Device device_;
  std::optional<AllocatorCounts> before_;
  std::map<Phase, AllocatorCounts> phases_;  ///< The peaks over all occurrences of a phase.
};

}  // namespace labreport
