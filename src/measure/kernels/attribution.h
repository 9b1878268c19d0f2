// Assigns each activity of the device to a phase, a module and an operation.
#pragma once

#include <string>
#include <vector>

#include "engine/trace_event.h"

namespace labreport {

struct Attribution {
  const TraceEvent* activity = nullptr;  ///< A kernel, a copy or a memset; on a CPU an operator.
  std::string phase;     ///< "forward"; empty if the launching operator is not traced.
  std::string module;    ///< "layers.3/attn/q_proj"; empty outside the network.
  std::string outer_op;  ///< The outermost operator, which the module called: "aten::linear".
  std::string inner_op;  ///< The innermost ATen operator, which launched the kernel: "aten::exp".
};

/// Returns the device's activities in order of start. Backward kernels get the module and the outer
/// operator of the forward operator with the same autograd sequence number; a kernel that sums
/// gradients belongs to the node that delivers the last gradient. If the device has no activity,
/// the operators for which CallTree::is_computing_operator() is true take its place.
std::vector<Attribution> attribute(const Trace& trace);

}  // namespace labreport
