// One event of a profile, as the profiler inside LibTorch tells it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace labreport {

enum class TraceKind {
  kOperator,  ///< An ATen operator, or autograd's engine.
  kRange,     ///< A `Range` of the program: a phase, a module.
  kBackward,  ///< A node of autograd's graph at work.
  kRuntime,   ///< A call into CUDA's runtime or driver.
  kKernel,
  kCopy,
  kSet,
  kOverhead,  ///< What the profiler or lazy loading cost.
};

struct TraceEvent {
  TraceKind kind = TraceKind::kOperator;
  std::string name;
  std::int64_t start_ns = 0;  ///< From the earliest event.
  std::int64_t duration_ns = 0;
  std::uint64_t thread = 0;       ///< Of the host; a device's activity has none.
  std::uint64_t correlation = 0;  ///< Of an operator: what `linked` names.
  std::uint64_t linked = 0;       ///< Of a device's activity: the operator that launched it.
  std::int64_t sequence = -1;     ///< Joins an operator and the node of its backward.
  std::int64_t stream = 0;        ///< Of a device's activity.

  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

using Trace = std::vector<TraceEvent>;

/// A kernel, a copy or a memset: what keeps the device busy.
bool on_device(const TraceEvent& event);

}  // namespace labreport
