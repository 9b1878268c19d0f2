#include "measure/attribution.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace labreport {
namespace {

constexpr std::string_view kAten = "aten::";
constexpr std::string_view kEngine = "autograd::";
constexpr const char* kBackwardPhase = "backward";

bool on_host(const TraceEvent& event) {
  return event.kind == TraceKind::kOperator || event.kind == TraceKind::kRange ||
         event.kind == TraceKind::kBackward;
}

bool is_aten(const TraceEvent& event) {
  return event.kind == TraceKind::kOperator && event.name.starts_with(kAten);
}

/// The host's events as a tree: what each runs within, on its own thread.
class CallTree {
 public:
  explicit CallTree(const Trace& trace) {
    std::map<std::uint64_t, std::vector<const TraceEvent*>> threads;
    for (const TraceEvent& event : trace) {
      if (on_host(event)) threads[event.thread].push_back(&event);
    }
    for (auto& [thread, events] : threads) nest(events);
  }

  /// From the event itself outwards.
  std::vector<const TraceEvent*> chain(const TraceEvent* event) const {
    std::vector<const TraceEvent*> found;
    for (; event != nullptr; event = parent(event)) found.push_back(event);
    return found;
  }

  /// An ATen operator that no other ATen operator called.
  bool is_outermost_aten(const TraceEvent* event) const {
    const TraceEvent* outer = parent(event);
    return is_aten(*event) && (outer == nullptr || !is_aten(*outer));
  }

  const TraceEvent* by_correlation(std::uint64_t id) const { return lookup(correlations_, id); }
  const TraceEvent* forward_of(std::int64_t sequence) const { return lookup(forwards_, sequence); }

 private:
  template <typename Map, typename Key>
  static const TraceEvent* lookup(const Map& map, Key key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
  }

  const TraceEvent* parent(const TraceEvent* event) const { return lookup(parents_, event); }

  void nest(std::vector<const TraceEvent*>& events) {
    std::ranges::stable_sort(events, [](const TraceEvent* a, const TraceEvent* b) {
      return std::pair(a->start_ns, -a->duration_ns) < std::pair(b->start_ns, -b->duration_ns);
    });
    std::vector<const TraceEvent*> open;
    for (const TraceEvent* event : events) {
      while (!open.empty() && open.back()->end_ns() <= event->start_ns) open.pop_back();
      if (!open.empty()) parents_[event] = open.back();
      open.push_back(event);
      note(event);
    }
  }

  void note(const TraceEvent* event) {
    if (event->correlation != 0) correlations_[event->correlation] = event;
    // An operator that needs no gradient tells the number that the next one gets: the last counts.
    // Autograd's engine tells a node's number again when it calls it.
    const bool forward = event->kind == TraceKind::kOperator && event->sequence >= 0 &&
                         !event->name.starts_with(kEngine);
    if (forward) forwards_.insert_or_assign(event->sequence, event);
  }

  std::unordered_map<const TraceEvent*, const TraceEvent*> parents_;
  std::unordered_map<std::uint64_t, const TraceEvent*> correlations_;
  std::unordered_map<std::int64_t, const TraceEvent*> forwards_;
};

using Chain = std::vector<const TraceEvent*>;

/// Ranges below the phase, outermost first.
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

const TraceEvent* backward_node(const Chain& chain) {
  const auto found = std::ranges::find(chain, TraceKind::kBackward, &TraceEvent::kind);
  return found == chain.end() ? nullptr : *found;
}

std::string innermost_aten(const Chain& chain) {
  for (const TraceEvent* event : chain) {
    if (is_aten(*event)) return event->name;
  }
  return "";
}

Attributed place(const CallTree& tree, const TraceEvent& activity, const TraceEvent* launcher) {
  Attributed placed{&activity, "", "", "", ""};
  if (launcher == nullptr) return placed;
  const Chain chain = tree.chain(launcher);
  placed.op = innermost_aten(chain);
  placed.operation = outermost_operator(chain);
  // On a GPU autograd works on threads of its own, where no phase is open.
  const TraceEvent* outermost = chain.back();
  placed.phase = outermost->kind == TraceKind::kRange ? outermost->name : kBackwardPhase;
  const TraceEvent* node = backward_node(chain);
  if (node == nullptr) {
    placed.module = module_of(chain);
  } else if (const TraceEvent* forward = tree.forward_of(node->sequence)) {
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
    if (tree.is_outermost_aten(&event)) placed.push_back(place(tree, event, &event));
  }
  return placed;
}

}  // namespace labreport
