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
  std::string operation;  ///< The network's own, "Softmax", else the outermost ATen operator.
  std::string op;         ///< The innermost ATen operator, "aten::exp".
};

/// The device's activities in order of their start. Backward kernels carry the module and the
/// operation of their forward, found by autograd's sequence number; gradients that the engine sums
/// itself have no module. Without any activity of a device, the outermost ATen operators of the
/// host stand in their place.
std::vector<Attributed> attribute(const Trace& trace);

}  // namespace labreport
