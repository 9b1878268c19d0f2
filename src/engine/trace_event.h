// One event of a profile from the profiler inside LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace labreport {

enum class TraceKind {
  kOperator,  ///< An ATen operator, or autograd's engine.
  kRange,     ///< A `Range` of the program: a phase, a module.
  kBackward,  ///< A running node of autograd's graph.
  kRuntime,   ///< A call of CUDA's runtime or driver.
  kKernel,
  kMemcpy,
  kMemset,
  kOverhead,  ///< Time spent by the profiler or by lazy loading.
};

struct TraceEvent {
  TraceKind kind = TraceKind::kOperator;
  std::string name;
  std::int64_t start_ns = 0;  ///< Since the start of the trace's first event.
  std::int64_t duration_ns = 0;
  std::uint64_t thread = 0;       ///< Host thread; 0 for device activities.
  std::uint64_t correlation = 0;  ///< Number of an operator; runtime calls have their own numbers.
  std::uint64_t launched_by = 0;  ///< Device activities only: `correlation` of their operator.
  std::int64_t sequence_number = -1;  ///< Autograd's number of an operator and its node, or −1.
  std::int64_t stream = 0;            ///< Device activities only.

  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

using Trace = std::vector<TraceEvent>;

/// True for activities that keep the device busy: kernels, copies and memsets.
bool on_device(const TraceEvent& event);

}  // namespace labreport
