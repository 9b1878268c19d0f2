#include "engine/phase_marks.h"

#include <c10/core/Event.h>

#include <cmath>

#include "engine/device.h"
#include "engine/host_clock.h"

namespace labreport {
namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;

class HostMarks : public PhaseMarks {
 public:
  HostMarks(c10::Device device, bool synchronized) : device_(device), synchronized_(synchronized) {}

  void mark_start() override { instants_ = {host_now_ns()}; }

  void mark_phase_end() override {
    if (synchronized_) synchronize(device_);
    instants_.push_back(host_now_ns());
  }

  std::vector<std::int64_t> durations_ns() override {
    std::vector<std::int64_t> durations;
    for (std::size_t i = 1; i < instants_.size(); ++i) {
      durations.push_back(instants_[i] - instants_[i - 1]);
    }
    return durations;
  }

 private:
  c10::Device device_;
  bool synchronized_;
  std::vector<std::int64_t> instants_;
};

/// Keeps its events, since recording an event again costs less than creating one.
class EventMarks : public PhaseMarks {
 public:
  EventMarks(c10::Device device, std::size_t phase_count)
      : stream_(c10::impl::VirtualGuardImpl(device.type()).getStream(device)) {
    for (std::size_t i = 0; i <= phase_count; ++i) {
      events_.emplace_back(device.type(), c10::EventFlag::BACKEND_DEFAULT);
    }
  }

  void mark_start() override {
    next_event_ = 0;
    mark_phase_end();
  }

  void mark_phase_end() override {
    if (next_event_ == events_.size()) {
      events_.emplace_back(stream_.device_type(), c10::EventFlag::BACKEND_DEFAULT);
    }
    events_[next_event_++].record(stream_);
  }

  std::vector<std::int64_t> durations_ns() override {
    std::vector<std::int64_t> durations;
    for (std::size_t i = 1; i < next_event_; ++i) {
      const double milliseconds = events_[i - 1].elapsedTime(events_[i]);
      durations.push_back(std::llround(milliseconds * kNanosecondsPerMillisecond));
    }
    return durations;
  }

 private:
  c10::Stream stream_;
  std::vector<c10::Event> events_;
  std::size_t next_event_ = 0;
};

}  // namespace

std::unique_ptr<PhaseMarks> make_phase_marks(PhaseClock clock, c10::Device device,
                                             std::size_t phase_count) {
  if (device.is_cpu() || clock == PhaseClock::kSynchronized) {
    return std::make_unique<HostMarks>(device, clock == PhaseClock::kSynchronized);
  }
  return std::make_unique<EventMarks>(device, phase_count);
}

}  // namespace labreport
