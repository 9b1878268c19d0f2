#include "measure/kernels/attribution.h"

#include <algorithm>

#include "measure/kernels/call_tree.h"

namespace labreport {
namespace {

constexpr const char* kBackwardPhase = "backward";

/// Joins the names of the ranges below the phase with "/", outermost first.
std::string module_of(const Chain& chain) {
  std::string path;
  for (auto event = chain.rbegin(); event != chain.rend(); ++event) {
    if ((*event)->kind != TraceKind::kRange || event == chain.rbegin()) continue;
    if (!path.empty()) path += '/';
    path += (*event)->name;
  }
  return path;
}

std::string outermost_operator(const Chain& chain) {
  for (auto event = chain.rbegin(); event != chain.rend(); ++event) {
    if ((*event)->kind == TraceKind::kOperator) return (*event)->name;
  }
  return "";
}

Attribution attribute_one(const CallTree& tree, const TraceEvent& activity,
                          const TraceEvent* launcher) {
  Attribution kernel{&activity, "", "", "", ""};
  if (launcher == nullptr) return kernel;
  const Chain chain = tree.chain(launcher);
  const auto innermost =
      std::ranges::find_if(chain, [](const TraceEvent* event) { return is_aten(*event); });
  if (innermost != chain.end()) kernel.inner_op = (*innermost)->name;
  kernel.outer_op = outermost_operator(chain);
  // On a GPU, autograd works on its own threads, where no phase is open.
  const TraceEvent* outermost = chain.back();
  kernel.phase = outermost->kind == TraceKind::kRange ? outermost->name : kBackwardPhase;
  // A backward operator has a node of autograd's graph around it, or the engine's event for the
  // node, which passes on and sums the node's gradients.
  const auto node = std::ranges::find_if(chain, [](const TraceEvent* event) {
    return event->kind == TraceKind::kBackward || is_autograd_engine(*event);
  });
  if (node == chain.end()) {
    kernel.module = module_of(chain);
  } else if (const TraceEvent* forward = tree.forward_operator((*node)->sequence_number)) {
    const Chain forward_chain = tree.chain(forward);
    kernel.module = module_of(forward_chain);
    kernel.outer_op = outermost_operator(forward_chain);
  }
  return kernel;
}

}  // namespace

std::vector<Attribution> attribute(const Trace& trace) {
  const CallTree tree(trace);
  std::vector<Attribution> kernels;
  for (const TraceEvent& event : trace) {
    if (!on_device(event)) continue;
    kernels.push_back(attribute_one(tree, event, tree.launcher(event.launched_by)));
  }
  if (!kernels.empty()) return kernels;
  for (const TraceEvent& event : trace) {
    if (tree.is_computing_operator(&event)) kernels.push_back(attribute_one(tree, event, &event));
  }
  return kernels;
}

}  // namespace labreport
