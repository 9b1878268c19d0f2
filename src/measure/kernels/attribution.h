// Assigns each activity of the device to a phase, a module and an operation.
#pragma once

#include <string>
#include <vector>

#include "engine/trace_event.h"

namespace labreport {

struct Attributed {
  const TraceEvent* activity = nullptr;
  std::string phase;      ///< "forward"; empty if the trace has no launcher for it.
  std::string module;     ///< "layers.3/attn/q_proj"; empty outside the network.
  std::string operation;  ///< The outermost ATen operator: "aten::linear".
  std::string op;         ///< The innermost ATen operator: "aten::exp".
};

/// Returns the device's activities in order of start. Backward kernels have the module and the
/// operation of their forward, found by autograd's sequence number; a sum of gradients has those of
/// the node that delivers the last one. If the device has no activity, computing operators of the
/// host take its place.
std::vector<Attributed> attribute(const Trace& trace);

}  // namespace labreport
