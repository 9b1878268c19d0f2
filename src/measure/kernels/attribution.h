// Which phase, module and operation each activity of the device belongs to.
#pragma once

#include <string>
#include <vector>

#include "engine/trace_event.h"

namespace labreport {

struct Attributed {
  const TraceEvent* activity = nullptr;
  std::string phase;      ///< "forward"; empty: nothing launched it that the trace knows.
  std::string module;     ///< "layers.3/attn/q_proj"; empty outside the network.
  std::string operation;  ///< The outermost ATen operator, "aten::linear".
  std::string op;         ///< The innermost ATen operator, "aten::exp".
};

/// The device's activities in order of their start. Backward kernels carry the module and the
/// operation of their forward, found by autograd's sequence number; a sum of gradients those of the
/// node that delivers the last of them. Without any activity of a device, the operators of the host
/// that compute stand in their place.
std::vector<Attributed> attribute(const Trace& trace);

}  // namespace labreport
