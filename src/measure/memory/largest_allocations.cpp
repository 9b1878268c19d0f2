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

struct Group {
  std::vector<const MemoryLifetime*> lifetimes;
  std::set<std::int64_t> layers;
};

/// Returns the most frequent description, because the first and the last layer may differ.
template <typename Describe>
std::string commonest(const Group& group, const Describe& describe) {
  std::map<std::string, std::size_t> counts;
  for (const MemoryLifetime* lifetime : group.lifetimes) ++counts[describe(*lifetime)];
  return std::ranges::max_element(counts, {}, [](const auto& pair) { return pair.second; })->first;
}

/// Returns "in the same module", the phase that freed the allocation, or "kept" if none did.
std::string freed_when(const MemoryHistory& history, const MemoryLifetime& lifetime) {
  if (!lifetime.freed) return std::string(metric::kKept);
  const MemoryOrigin& made = origin_of(history, lifetime.made);
  const MemoryOrigin& freed = origin_of(history, *lifetime.freed);
  const bool inside = freed.phase == made.phase && freed.module == made.module;
  return inside ? "in the same module" : freed.phase;
}

/// Returns a text such as "0–31" or "5"; empty if the allocations are outside the layers.
std::string layer_range(const std::set<std::int64_t>& layers) {
  if (layers.empty()) return "";
  if (layers.size() == 1) return std::to_string(*layers.begin());
  return std::to_string(*layers.begin()) + "–" + std::to_string(*layers.rbegin());
}

}  // namespace

Table largest_table(const MemoryTimeline& timeline) {
  std::map<AllocationKey, Group, std::greater<>> groups;  // largest first
  for (const MemoryLifetime& lifetime : timeline.found.lifetimes) {
    if (lifetime.made == 0) continue;
    const MemoryOrigin& origin = origin_of(timeline.history, lifetime.made);
    if (origin.phase != metric::kForward) continue;
    Group& group =
        groups[{lifetime.requested, without_layer(origin.module), origin.operation, origin.op}];
    group.lifetimes.push_back(&lifetime);
    if (const auto layer = layer_number(origin.module)) group.layers.insert(*layer);
  }
  const auto category = [](const MemoryLifetime& lifetime) {
    return std::string(name(lifetime.category));
  };
  const auto freed = [&](const MemoryLifetime& lifetime) {
    return freed_when(timeline.history, lifetime);
  };
  Table table = shape::largest();
  for (const auto& [key, group] : groups) {
    if (table.rows.size() == kMostRows) break;
    const auto& [bytes, module, operation, op] = key;
    table.rows.push_back({bytes, static_cast<std::int64_t>(group.lifetimes.size()), module,
                          operation, op, commonest(group, category), commonest(group, freed),
                          layer_range(group.layers)});
  }
  return table;
}

}  // namespace labreport
