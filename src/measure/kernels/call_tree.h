// The host's events of a profile as a tree of calls, for each thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/trace_event.h"

namespace labreport {

/// An event and the events around it, innermost first.
using Chain = std::vector<const TraceEvent*>;

/// True for ATen operators by their names, such as "aten::mm".
bool is_aten(const TraceEvent& event);

/// True for autograd's event around a node: "autograd::engine::evaluate_function: MmBackward0".
bool is_autograd_engine(const TraceEvent& event);

/// True for a call that launches a CUDA graph. Its kernels have the call's correlation.
bool launches_graph(const TraceEvent& event);

class CallTree {
 public:
  /// `trace` must outlive the tree.
  explicit CallTree(const Trace& trace);

  /// Returns the event and the events around it, innermost first; empty for null.
  Chain chain(const TraceEvent* event) const;

  /// True for an ATen operator that no other calls; `linear` and `matmul` do not count, but the
  /// operators that they call do. Also true for each fused kernel in torch.compile's CPU code.
  bool is_computing_operator(const TraceEvent* event) const;

  /// Returns the operator that launched a device activity, or the launch of the CUDA graph that
  /// holds it; null if the trace lacks both.
  const TraceEvent* launcher(const TraceEvent& activity) const;
  /// Returns the operator that made a node of autograd's graph; null if the trace lacks it.
  const TraceEvent* forward_operator(std::int64_t sequence_number) const;

 private:
  const TraceEvent* parent(const TraceEvent* event) const;
  void nest(std::vector<const TraceEvent*>& events);

  std::unordered_map<const TraceEvent*, const TraceEvent*> parents_;
  std::unordered_map<std::uint64_t, const TraceEvent*> operators_;
  std::unordered_map<std::uint64_t, const TraceEvent*> graph_launches_;
  std::unordered_map<std::int64_t, const TraceEvent*> forward_operators_;
};

}  // namespace labreport
