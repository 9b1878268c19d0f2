#include "measure/kernels/attribution.h"

#include <algorithm>
#include <array>

#include "measure/kernels/call_tree.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr const char* kBackwardPhase = "backward";

/// Returns the outermost event that is called like a phase, or else the outermost event. A user's
/// step has ranges of its own around its phases, as torch's optimizers do; what no other phase
/// covers is kOther.
Chain::const_reverse_iterator phase_event(const Chain& chain) {
  static constexpr std::array kPhases{metric::kForward, metric::kLoss, metric::kBackward,
                                      metric::kOptimizer};
  const auto find = [&](const auto& is_phase) {
    return std::find_if(chain.rbegin(), chain.rend(), [&](const TraceEvent* event) {
      return event->kind == TraceKind::kRange && is_phase(event->name);
    });
  };
  auto found = find([](const std::string& name) { return std::ranges::count(kPhases, name) > 0; });
  if (found == chain.rend()) {
    found = find([](const std::string& name) { return name == metric::kOther; });
  }
  return found == chain.rend() ? chain.rbegin() : found;
}

/// Joins the names of the ranges below the phase with "/", outermost first.
std::string module_of(const Chain& chain) {
  std::string path;
  for (auto event = phase_event(chain) + 1; event != chain.rend(); ++event) {
    if ((*event)->kind != TraceKind::kRange) continue;
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
  const TraceEvent* phase = *phase_event(chain);
  if (launches_graph(*phase)) return kernel;
  kernel.phase = phase->kind == TraceKind::kRange ? phase->name : kBackwardPhase;
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
    kernels.push_back(attribute_one(tree, event, tree.launcher(event)));
  }
  if (!kernels.empty()) return kernels;
  for (const TraceEvent& event : trace) {
    if (tree.is_computing_operator(&event)) kernels.push_back(attribute_one(tree, event, &event));
  }
  return kernels;
}

}  // namespace labreport
