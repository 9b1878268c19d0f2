// The peak memory of each phase of a step.
#pragma once

#include <c10/core/Device.h>

#include <utility>
#include <vector>

#include "engine/allocator.h"
#include "engine/phase.h"
#include "results/metric.h"

namespace labreport {

/// Returns the caching allocator's statistics; on a CPU the host's, if they are counted.
std::optional<AllocatorCounts> memory_counts(c10::Device device);
/// Resets the peaks to the memory held now.
void reset_memory_peaks(c10::Device device);

/// Records peaks; they start from the memory held at construction. The allocator's statistics
/// change when work is enqueued, so the end of a phase needs no synchronization.
class PhasePeaks : public PhaseObserver {
 public:
  explicit PhasePeaks(c10::Device device);

  void ended(Phase phase) override;
  /// Ends the phase that ran out of memory.
  void failed() { ended(latest_phase()); }

  /// Returns the largest value over the phases so far.
  std::optional<std::int64_t> highest(std::int64_t AllocatorCounts::* field) const;

  /// Returns the phase's peak of allocated bytes.
  std::optional<std::int64_t> peak_of(Phase phase) const;

  /// Returns "resident", "peak" and "peak_requested".
  std::vector<Metric> metrics() const;

 private:
  c10::Device device_;
  std::optional<AllocatorCounts> before_;
  std::vector<std::pair<Phase, AllocatorCounts>> phases_;
};

}  // namespace labreport
