// Profiles one piece of work by the profiler inside LibTorch, which uses CUPTI on a GPU.
#pragma once

#include <functional>

#include "engine/trace_event.h"
#include "results/cell.h"

namespace labreport {

struct Profile {
  Trace trace;                  ///< Events sorted by their start.
  std::int64_t prepare_ns = 0;  ///< Time to start the profiler.
  std::int64_t work_ns = 0;     ///< Duration of the work by the host's clock.
  std::int64_t collect_ns = 0;  ///< Time to stop the profiler and collect the events.
};

/// Records the operators and ranges of `work` and a GPU's activities. `work` must synchronize.
Profile profile(DeviceKind device, const std::function<void()>& work);

}  // namespace labreport
