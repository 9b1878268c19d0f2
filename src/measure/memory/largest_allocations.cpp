#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "measure/memory/tables.h"
#include "results/metric_names.h"
#include "results/module_path.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::size_t kMostRows = 25;

/// Bytes, module without its layer, operation, operator.
using AllocationKey = std::tuple<std::int64_t, std::string, std::string, std::string>;

struct AllocationGroup {
  std::vector<const MemoryLifetime*> lifetimes;
  std::set<std::int64_t> layers;
};

/// Returns the most frequent description, because the first and the last layer may differ.
template <typename Describe>
std::string most_frequent(const AllocationGroup& group, const Describe& describe) {
  std::map<std::string, std::size_t> counts;
  for (const MemoryLifetime* lifetime : group.lifetimes) ++counts[describe(*lifetime)];
  return std::ranges::max_element(counts, {}, [](const auto& pair) { return pair.second; })->first;
}

/// Returns "in the same module", the phase that freed the allocation, or "kept" if none did.
std::string when_freed(const MemoryHistory& history, const MemoryLifetime& lifetime) {
  if (!lifetime.freed_event) return std::string(metric::kKept);
  const MemoryOrigin& made = origin_of(history, lifetime.made_event);
  const MemoryOrigin& freed = origin_of(history, *lifetime.freed_event);
  const bool in_same_module = freed.phase == made.phase && freed.module == made.module;
  return in_same_module ? "in the same module" : freed.phase;
}

/// Returns a text such as "0–31" or "5"; empty if the allocations are outside the layers.
std::string layer_range(const std::set<std::int64_t>& layers) {
  if (layers.empty()) return "";
  if (layers.size() == 1) return std::to_string(*layers.begin());
  return std::to_string(*layers.begin()) + "–" + std::to_string(*layers.rbegin());
}

}  // namespace

Table largest_table(const MemoryTimeline& timeline) {
  std::map<AllocationKey, AllocationGroup, std::greater<>> groups;  // largest first
  for (const MemoryLifetime& lifetime : timeline.lifetimes.all) {
    if (lifetime.made_event == 0) continue;
    const MemoryOrigin& origin = origin_of(timeline.history, lifetime.made_event);
    if (origin.phase != metric::kForward) continue;
    AllocationGroup& group = groups[{lifetime.requested_bytes, without_layer(origin.module),
                                     origin.outer_op, origin.inner_op}];
    group.lifetimes.push_back(&lifetime);
    if (const auto layer = layer_number(origin.module)) group.layers.insert(*layer);
  }
  const auto category = [](const MemoryLifetime& lifetime) {
    return std::string(name(lifetime.category));
  };
  const auto freed = [&](const MemoryLifetime& lifetime) {
    return when_freed(timeline.history, lifetime);
  };
  Table table = empty_table(metric::kLargest);
  for (const auto& [key, group] : groups) {
    if (table.rows.size() == kMostRows) break;
    const auto& [bytes, module, operation, op] = key;
    table.rows.push_back({bytes, static_cast<std::int64_t>(group.lifetimes.size()), module,
                          operation, op, most_frequent(group, category),
                          most_frequent(group, freed), layer_range(group.layers)});
  }
  return table;
}

}  // namespace labreport
