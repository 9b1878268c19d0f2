// How long each phase of a step took, by one of three clocks.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace labreport {

enum class PhaseClock {
  kEvents,        ///< The device's own events; the host's clock on a CPU. Does not synchronize.
  kSynchronized,  ///< The host's clock, the device synchronized at each phase's end.
};

/// The boundaries between `count` phases of one step, marked in order and again for each step.
class PhaseMarks {
 public:
  virtual ~PhaseMarks() = default;
  virtual void start() = 0;
  virtual void phase_ended() = 0;
  /// One duration a phase. The device must have been synchronized since the last mark.
  virtual std::vector<std::int64_t> durations_ns() = 0;
};

std::unique_ptr<PhaseMarks> make_phase_marks(PhaseClock clock, c10::Device device,
                                             std::size_t count);

}  // namespace labreport
