#include "engine/pending_collectives.h"

#include <algorithm>
#include <utility>

#include "engine/host_clock.h"

namespace labreport {

std::shared_ptr<TimedCollective> PendingCollectives::record_start() {
  const std::scoped_lock lock(mutex_);
  return collectives_.emplace_back(
      std::make_shared<TimedCollective>(TimedCollective{host_now_ns(), 0}));
}

void PendingCollectives::watch(const std::shared_ptr<TimedCollective>& collective,
                               c10::ivalue::Future& future) {
  future.addCallback([this, collective](c10::ivalue::Future&) {
    const std::scoped_lock lock(mutex_);
    collective->end_ns = host_now_ns();
    end_recorded_.notify_all();
  });
}

std::vector<TimedCollective> PendingCollectives::take() {
  std::unique_lock lock(mutex_);
  end_recorded_.wait(lock, [this] {
    return std::ranges::all_of(collectives_,
                               [](const auto& collective) { return collective->end_ns > 0; });
  });
  std::vector<TimedCollective> taken;
  for (const auto& collective : std::exchange(collectives_, {})) taken.push_back(*collective);
  return taken;
}

}  // namespace labreport
