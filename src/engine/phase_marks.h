// Durations of a step's phases, by one of two clocks.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace labreport {

enum class PhaseClock {
  kEvents,        ///< The device's events, or the host's clock on a CPU. Does not synchronize.
  kSynchronized,  ///< The host's clock, with a device synchronization at each phase's end.
};

/// The boundaries of `count` phases of one step, marked in order and again for each step.
class PhaseMarks {
 public:
  virtual ~PhaseMarks() = default;
  virtual void start() = 0;
  virtual void phase_ended() = 0;
  /// Returns one duration for each phase. The device must have been synchronized since the last
  /// mark.
  virtual std::vector<std::int64_t> durations_ns() = 0;
};

std::unique_ptr<PhaseMarks> make_phase_marks(PhaseClock clock, c10::Device device,
                                             std::size_t count);

}  // namespace labreport
