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

Attributed place(const CallTree& tree, const TraceEvent& activity, const TraceEvent* launcher) {
  Attributed placed{&activity, "", "", "", ""};
  if (launcher == nullptr) return placed;
  const Chain chain = tree.chain(launcher);
  const auto innermost =
      std::ranges::find_if(chain, [](const TraceEvent* event) { return is_aten(*event); });
  if (innermost != chain.end()) placed.op = (*innermost)->name;
  placed.operation = outermost_operator(chain);
  // On a GPU, autograd works on its own threads, where no phase is open.
  const TraceEvent* outermost = chain.back();
  placed.phase = outermost->kind == TraceKind::kRange ? outermost->name : kBackwardPhase;
  // A backward operator has a node of autograd's graph around it, or the engine's event for the
  // node, which passes on and sums the node's gradients.
  const auto node = std::ranges::find_if(chain, [](const TraceEvent* event) {
    return event->kind == TraceKind::kBackward || is_engine(*event);
  });
  if (node == chain.end()) {
    placed.module = module_of(chain);
  } else if (const TraceEvent* forward = tree.forward_of((*node)->sequence)) {
    const Chain origin = tree.chain(forward);
    placed.module = module_of(origin);
    placed.operation = outermost_operator(origin);
  }
  return placed;
}

}  // namespace

std::vector<Attributed> attribute(const Trace& trace) {
  const CallTree tree(trace);
  std::vector<Attributed> placed;
  for (const TraceEvent& event : trace) {
    if (on_device(event)) placed.push_back(place(tree, event, tree.by_correlation(event.linked)));
  }
  if (!placed.empty()) return placed;
  for (const TraceEvent& event : trace) {
    if (tree.computes(&event)) placed.push_back(place(tree, event, &event));
  }
  return placed;
}

}  // namespace labreport
