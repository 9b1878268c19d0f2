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

  void start() override { instants_ = {host_now_ns()}; }

  void phase_ended() override {
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

/// Creates the events once, since recording an event again costs less than creating one.
class EventMarks : public PhaseMarks {
 public:
  EventMarks(c10::Device device, std::size_t count)
      : stream_(c10::impl::VirtualGuardImpl(device.type()).getStream(device)) {
    for (std::size_t i = 0; i <= count; ++i) {
      events_.emplace_back(device.type(), c10::EventFlag::BACKEND_DEFAULT);
    }
  }

  void start() override {
    next_ = 0;
    phase_ended();
  }

  void phase_ended() override { events_.at(next_++).record(stream_); }

  std::vector<std::int64_t> durations_ns() override {
    std::vector<std::int64_t> durations;
    for (std::size_t i = 1; i < next_; ++i) {
      const double milliseconds = events_[i - 1].elapsedTime(events_[i]);
      durations.push_back(std::llround(milliseconds * kNanosecondsPerMillisecond));
    }
    return durations;
  }

 private:
  c10::Stream stream_;
  std::vector<c10::Event> events_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<PhaseMarks> make_phase_marks(PhaseClock clock, c10::Device device,
                                             std::size_t count) {
  if (device.is_cpu() || clock == PhaseClock::kSynchronized) {
    return std::make_unique<HostMarks>(device, clock == PhaseClock::kSynchronized);
  }
  return std::make_unique<EventMarks>(device, count);
}

}  // namespace labreport
