// Notes when collectives were begun, and when they were over.
#pragma once

#include <ATen/core/ivalue.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/rank_group.h"

namespace labreport {

/// Collectives are begun and end on threads of autograd's and of the library's.
class Flights {
 public:
  std::shared_ptr<Flight> begin();
  /// It ends when `future` is there.
  void watch(const std::shared_ptr<Flight>& flight, c10::ivalue::Future& future);
  /// Those begun since the call before. All are over: it waits for the news alone, which may come
  /// after whoever waited for a collective went on.
  std::vector<Flight> take();

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  std::vector<std::shared_ptr<Flight>> flights_;
};

}  // namespace labreport
