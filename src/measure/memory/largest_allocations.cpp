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

using AllocationKey = std::tuple<std::int64_t, std::string, std::string, std::string>;

struct Group {
  std::vector<const MemoryLifetime*> lifetimes;
  std::set<std::int64_t> layers;
};

/// Groups equal allocations, largest first.
std::map<AllocationKey, Group, std::greater<>> groups_of(const MemoryTimeline& timeline) {
  std::map<AllocationKey, Group, std::greater<>> groups;
  for (const MemoryLifetime& lifetime : timeline.found.lifetimes) {
    if (lifetime.made == 0) continue;
    const MemoryOrigin& origin = timeline.history.origin(event_of(timeline.history, lifetime.made));
    if (origin.phase != metric::kForward) continue;
    Group& group =
        groups[{lifetime.requested, without_layer(origin.module), origin.operation, origin.op}];
    group.lifetimes.push_back(&lifetime);
    if (const auto layer = layer_number(origin.module)) group.layers.insert(*layer);
  }
  return groups;
}

/// Returns the group's most frequent description, because the first and last layers may differ.
template <typename Describe>
std::string commonest(const Group& group, const Describe& describe) {
  std::map<std::string, std::size_t> counts;
  for (const MemoryLifetime* lifetime : group.lifetimes) ++counts[describe(*lifetime)];
  return std::ranges::max_element(counts, {}, [](const auto& pair) { return pair.second; })->first;
}

std::string written(const std::set<std::int64_t>& layers) {
  if (layers.empty()) return "";
  if (layers.size() == 1) return std::to_string(*layers.begin());
  return std::to_string(*layers.begin()) + "–" + std::to_string(*layers.rbegin());
}

}  // namespace

Table largest_table(const MemoryTimeline& timeline) {
  Table table = shape::largest();
  const auto category = [](const MemoryLifetime& lifetime) {
    return std::string(name(lifetime.category));
  };
  const auto freed = [&](const MemoryLifetime& lifetime) {
    return freed_when(timeline.history, lifetime);
  };
  for (const auto& [key, group] : groups_of(timeline)) {
    if (table.rows.size() == kMostRows) break;
    const auto& [bytes, module, operation, op] = key;
    table.rows.push_back({bytes, static_cast<std::int64_t>(group.lifetimes.size()), module,
                          operation, op, commonest(group, category), commonest(group, freed),
                          written(group.layers)});
  }
  return table;
}

}  // namespace labreport
