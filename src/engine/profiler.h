// The profiler inside LibTorch (CUPTI), around one piece of work.
#pragma once

#include <functional>

#include "engine/trace_event.h"
#include "results/cell.h"

namespace labreport {

struct Profile {
  Trace trace;  ///< By start.
  std::int64_t prepare_ns = 0;
  std::int64_t work_ns = 0;  ///< The work as the host saw it.
  std::int64_t collect_ns = 0;
};

/// Records operators, ranges and, on a GPU, what ran there. `work` has to wait for the device
/// itself.
Profile profile(DeviceKind kind, const std::function<void()>& work);

}  // namespace labreport
