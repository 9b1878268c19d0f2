// The profiler inside LibTorch (CUPTI), for one piece of work.
#pragma once

#include <functional>

#include "engine/trace_event.h"
#include "results/cell.h"

namespace labreport {

struct Profile {
  Trace trace;  ///< In order of start.
  std::int64_t prepare_ns = 0;
  std::int64_t work_ns = 0;  ///< The work by the host's clock.
  std::int64_t collect_ns = 0;
};

/// Records operators, ranges and, on a GPU, its activities. `work` must wait for the device itself.
Profile profile(DeviceKind kind, const std::function<void()>& work);

}  // namespace labreport
