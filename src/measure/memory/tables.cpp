#include "measure/memory/tables.h"

#include <algorithm>

#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

std::int64_t whole(std::size_t number) { return static_cast<std::int64_t>(number); }

std::vector<Scalar> allocation_row(const MemoryHistory& history, const MemoryLifetime& lifetime,
                                   std::size_t id) {
  const MemoryEvent& made = event_of(history, lifetime.made);
  const MemoryOrigin& origin = history.origin(made);
  std::vector<Scalar> row{whole(id),
                          lifetime.requested,
                          whole(lifetime.made),
                          Scalar(),
                          made.time_ns,
                          Scalar(),
                          origin.phase,
                          "",
                          origin.module,
                          origin.operation,
                          origin.op,
                          std::string(name(lifetime.category))};
  if (lifetime.freed) {
    const MemoryEvent& freed = event_of(history, *lifetime.freed);
    row[3] = whole(*lifetime.freed);
    row[5] = freed.time_ns;
    row[7] = history.origin(freed).phase;
  }
  return row;
}

}  // namespace

Table timeline_table(const MemoryTimeline& timeline, std::size_t most) {
  std::vector<MemoryCategory> categories;
  std::vector<std::string_view> names;
  for (const MemoryCategory category : kMemoryCategories) {
    if (std::ranges::find(timeline.found.lifetimes, category, &MemoryLifetime::category) ==
        timeline.found.lifetimes.end()) {
      continue;
    }
    categories.push_back(category);
    names.push_back(name(category));
  }
  Table table = shape::timeline(names);
  for (const std::size_t index : thinned(timeline, most)) {
    const MemoryInstant& instant = timeline.instants[index];
    const MemoryOrigin* origin = timeline.origin(instant);
    std::vector<Scalar> row{whole(instant.event), timeline.time_ns(instant),
                            origin ? origin->phase : ""};
    for (const MemoryCategory category : categories) {
      row.emplace_back(instant.requested[static_cast<std::size_t>(category)]);
    }
    row.emplace_back(instant.allocated);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table allocations_table(const MemoryTimeline& timeline, std::size_t most) {
  const MemoryHistory& history = timeline.history;
  std::vector<std::pair<double, const MemoryLifetime*>> ranked;  // by bytes times lifetime
  for (const MemoryLifetime& lifetime : timeline.found.lifetimes) {
    if (lifetime.made == 0) continue;
    const MemoryEvent& end =
        lifetime.freed ? event_of(history, *lifetime.freed) : history.events.back();
    const std::int64_t lived_ns = end.time_ns - event_of(history, lifetime.made).time_ns + 1;
    ranked.emplace_back(static_cast<double>(lifetime.requested) * static_cast<double>(lived_ns),
                        &lifetime);
  }
  std::ranges::stable_sort(ranked, std::greater(),
                           &std::pair<double, const MemoryLifetime*>::first);
  ranked.resize(std::min(most, ranked.size()));
  Table table = shape::allocations();
  for (const auto& [rank, lifetime] : ranked) {
    table.rows.push_back(allocation_row(history, *lifetime, table.rows.size()));
  }
  return table;
}

}  // namespace labreport
