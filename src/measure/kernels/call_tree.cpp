#include "measure/kernels/call_tree.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace labreport {
namespace {

constexpr std::string_view kAtenPrefix = "aten::";
constexpr std::string_view kAutogradPrefix = "autograd::";
constexpr std::string_view kComposites[]{"aten::linear", "aten::matmul"};
constexpr std::string_view kFusedKernel = "cpp_fused_";  // Inductor's name of fused CPU kernels

bool is_composite(const TraceEvent& event) {
  return std::ranges::find(kComposites, event.name) != std::end(kComposites);
}

template <typename Map, typename Key>
const TraceEvent* lookup(const Map& map, Key key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace

bool is_aten(const TraceEvent& event) {
  return event.kind == TraceKind::kOperator && event.name.starts_with(kAtenPrefix);
}

bool is_autograd_engine(const TraceEvent& event) {
  return event.kind == TraceKind::kOperator && event.name.starts_with(kAutogradPrefix);
}

bool launches_graph(const TraceEvent& event) {
  return event.kind == TraceKind::kRuntime && event.name.find("GraphLaunch") != std::string::npos;
}

CallTree::CallTree(const Trace& trace) {
  std::map<std::uint64_t, std::vector<const TraceEvent*>> threads;
  for (const TraceEvent& event : trace) {
    const bool on_host = event.kind == TraceKind::kOperator || event.kind == TraceKind::kRange ||
                         event.kind == TraceKind::kBackward || launches_graph(event);
    if (on_host) threads[event.thread].push_back(&event);
  }
  for (auto& [thread, events] : threads) nest(events);
}

Chain CallTree::chain(const TraceEvent* event) const {
  Chain chain;
  for (; event != nullptr; event = parent(event)) chain.push_back(event);
  return chain;
}

bool CallTree::is_computing_operator(const TraceEvent* event) const {
  if (event->kind == TraceKind::kOperator && event->name.find(kFusedKernel) != std::string::npos) {
    return true;
  }
  const TraceEvent* caller = parent(event);
  const bool is_outermost = caller == nullptr || !is_aten(*caller) || is_composite(*caller);
  return is_outermost && is_aten(*event) && !is_composite(*event);
}

const TraceEvent* CallTree::launcher(const TraceEvent& activity) const {
  const TraceEvent* launching_operator = lookup(operators_, activity.launched_by);
  return launching_operator != nullptr ? launching_operator
                                       : lookup(graph_launches_, activity.correlation);
}

const TraceEvent* CallTree::forward_operator(std::int64_t sequence_number) const {
  return lookup(forward_operators_, sequence_number);
}

const TraceEvent* CallTree::parent(const TraceEvent* event) const {
  return lookup(parents_, event);
}

void CallTree::nest(std::vector<const TraceEvent*>& events) {
  std::ranges::stable_sort(events, [](const TraceEvent* a, const TraceEvent* b) {
    return std::pair(a->start_ns, -a->duration_ns) < std::pair(b->start_ns, -b->duration_ns);
  });
  std::vector<const TraceEvent*> open;
  for (const TraceEvent* event : events) {
    while (!open.empty() && open.back()->end_ns() <= event->start_ns) open.pop_back();
    if (!open.empty()) parents_[event] = open.back();
    open.push_back(event);
    if (launches_graph(*event)) {
      graph_launches_[event->correlation] = event;
      continue;
    }
    if (event->correlation != 0) operators_[event->correlation] = event;
    // An operator reports the number of the next node even if it makes no node itself, so the last
    // operator that reports a number made its node. Autograd's events repeat their node's number.
    const bool is_forward = event->kind == TraceKind::kOperator && event->sequence_number >= 0 &&
                            !is_autograd_engine(*event);
    if (is_forward) forward_operators_.insert_or_assign(event->sequence_number, event);
  }
}

}  // namespace labreport
