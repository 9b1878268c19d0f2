// How high a step's memory rises in each of its phases.
#pragma once

#include <c10/core/Device.h>

#include <utility>
#include <vector>

#include "engine/allocator.h"
#include "engine/phase.h"
#include "results/metric.h"

namespace labreport {

/// The caching allocator's statistics; on a CPU the host's, where they are counted.
std::optional<AllocatorCounts> memory_counts(c10::Device device);
/// Its peaks begin anew at what is held now.
void reset_memory_peaks(c10::Device device);

/// Peaks begin at what is held when it is made. Host-side: the allocator's accounts change when
/// work is enqueued, so a phase's end needs no synchronizing.
class PhasePeaks : public PhaseObserver {
 public:
  explicit PhasePeaks(c10::Device device);

  void ended(Phase phase) override;
  /// The phase that ran out of memory ends, too.
  void failed() { ended(latest_phase()); }

  /// Largest over the phases so far.
  std::optional<std::int64_t> highest(std::int64_t AllocatorCounts::* field) const;

  /// Allocated, of one phase.
  std::optional<std::int64_t> peak_of(Phase phase) const;

  /// "resident", "peak" and "peak_requested".
  std::vector<Metric> metrics() const;

 private:
  c10::Device device_;
  std::optional<AllocatorCounts> before_;
  std::vector<std::pair<Phase, AllocatorCounts>> phases_;
};

}  // namespace labreport
