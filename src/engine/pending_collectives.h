// Records the start and end times of collectives.
#pragma once

#include <ATen/core/ivalue.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/rank_group.h"

namespace labreport {

/// Thread-safe: collectives start and end on threads of autograd and of the library.
class PendingCollectives {
 public:
  std::shared_ptr<TimedCollective> record_start();
  /// Sets the collective's end when `future` completes.
  void watch(const std::shared_ptr<TimedCollective>& collective, c10::ivalue::Future& future);
  /// Returns the times of the collectives started since the previous call. The collectives must
  /// have finished; this waits for their callbacks, which may run late.
  std::vector<TimedCollective> take();

 private:
  std::mutex mutex_;
  std::condition_variable end_recorded_;
  std::vector<std::shared_ptr<TimedCollective>> collectives_;
};

}  // namespace labreport
