// Durations of a step's phases, by one of two clocks.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace labreport {

enum class PhaseClock {
  kEvents,        ///< The device's events without synchronization, or a CPU's host clock.
  kSynchronized,  ///< The host's clock, with a device synchronization at each phase's end.
};

/// Marks the start of a step and then the end of each of its phases.
class PhaseMarks {
 public:
  virtual ~PhaseMarks() = default;
  virtual void mark_start() = 0;
  virtual void mark_phase_end() = 0;
  /// Returns the duration of each phase of the latest step. The device must have been synchronized
  /// since the last mark.
  virtual std::vector<std::int64_t> durations_ns() = 0;
};

/// `phase_count` is the number of phases to expect in a step.
std::unique_ptr<PhaseMarks> make_phase_marks(PhaseClock clock, c10::Device device,
                                             std::size_t phase_count);

}  // namespace labreport
