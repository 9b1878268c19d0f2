// The host's events of a profile as a tree: what each runs within, on its own thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/trace_event.h"

namespace labreport {

/// An event and the events around it, innermost first.
using Chain = std::vector<const TraceEvent*>;

/// An operator whose name says that it is ATen's: "aten::mm".
bool is_aten(const TraceEvent& event);

/// Autograd's engine at work on one node: "autograd::engine::evaluate_function: MmBackward0".
bool is_engine(const TraceEvent& event);

class CallTree {
 public:
  /// `trace` has to outlive it.
  explicit CallTree(const Trace& trace);

  /// The event first, then what it runs within; empty for null.
  Chain chain(const TraceEvent* event) const;

  /// An outermost ATen operator; of `linear` and `matmul`, those that they are made of. Of code
  /// that torch.compile made for a CPU, each fused kernel.
  bool computes(const TraceEvent* event) const;

  /// The operator that a device's activity names as its launcher, and the operator whose backward a
  /// node of autograd's graph is; null: not in the trace.
  const TraceEvent* by_correlation(std::uint64_t id) const;
  const TraceEvent* forward_of(std::int64_t sequence) const;

 private:
  const TraceEvent* parent(const TraceEvent* event) const;
  void nest(std::vector<const TraceEvent*>& events);
  void note(const TraceEvent* event);

  std::unordered_map<const TraceEvent*, const TraceEvent*> parents_;
  std::unordered_map<std::uint64_t, const TraceEvent*> correlations_;
  std::unordered_map<std::int64_t, const TraceEvent*> forwards_;
};

}  // namespace labreport
