#include "engine/flights.h"

#include <algorithm>
#include <utility>

#include "engine/host_clock.h"

namespace labreport {

std::shared_ptr<Flight> Flights::begin() {
  const std::scoped_lock lock(mutex_);
  return flights_.emplace_back(std::make_shared<Flight>(Flight{host_now_ns(), 0}));
}

void Flights::watch(const std::shared_ptr<Flight>& flight, c10::ivalue::Future& future) {
  future.addCallback([this, flight](c10::ivalue::Future&) {
    const std::scoped_lock lock(mutex_);
    flight->end_ns = host_now_ns();
    over_.notify_all();
  });
}

std::vector<Flight> Flights::take() {
  std::unique_lock lock(mutex_);
  over_.wait(lock, [this] {
    return std::ranges::all_of(flights_, [](const auto& flight) { return flight->end_ns > 0; });
  });
  std::vector<Flight> taken;
  for (const auto& flight : std::exchange(flights_, {})) taken.push_back(*flight);
  return taken;
}

}  // namespace labreport
