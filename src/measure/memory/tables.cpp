#include "measure/memory/tables.h"

#include <algorithm>

#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

std::int64_t as_int64(std::size_t number) { return static_cast<std::int64_t>(number); }

std::vector<Scalar> allocation_row(const MemoryHistory& history, const MemoryLifetime& lifetime,
                                   std::size_t id) {
  const MemoryEvent& allocation = event_of(history, lifetime.made_event);
  const MemoryOrigin& origin = history.origin(allocation);
  std::vector<Scalar> row{as_int64(id),
                          lifetime.requested_bytes,
                          as_int64(lifetime.made_event),
                          Scalar(),
                          allocation.time_ns,
                          Scalar(),
                          origin.phase,
                          "",
                          origin.module,
                          origin.outer_op,
                          origin.inner_op,
                          std::string(name(lifetime.category))};
  if (lifetime.freed_event) {
    const MemoryEvent& deallocation = event_of(history, *lifetime.freed_event);
    row[3] = as_int64(*lifetime.freed_event);
    row[5] = deallocation.time_ns;
    row[7] = history.origin(deallocation).phase;
  }
  return row;
}

}  // namespace

Table timeline_table(const MemoryTimeline& timeline, std::size_t limit) {
  std::vector<MemoryCategory> categories;
  std::vector<std::string_view> names;
  for (const MemoryCategory category : kMemoryCategories) {
    if (std::ranges::find(timeline.lifetimes.all, category, &MemoryLifetime::category) ==
        timeline.lifetimes.all.end()) {
      continue;
    }
    categories.push_back(category);
    names.push_back(name(category));
  }
  Table table = empty_table(metric::kTimeline, names);
  for (const std::size_t index : thinned_indices(timeline, limit)) {
    const MemoryInstant& instant = timeline.instants[index];
    const MemoryOrigin* origin = timeline.origin(instant);
    std::vector<Scalar> row{as_int64(instant.event_number), timeline.time_ns(instant),
                            origin ? origin->phase : ""};
    for (const MemoryCategory category : categories) {
      row.emplace_back(instant.requested_bytes[static_cast<std::size_t>(category)]);
    }
    row.emplace_back(instant.allocated_bytes);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table allocations_table(const MemoryTimeline& timeline, std::size_t limit) {
  const MemoryHistory& history = timeline.history;
  std::vector<std::pair<double, const MemoryLifetime*>> ranked;  // by bytes times lifetime
  for (const MemoryLifetime& lifetime : timeline.lifetimes.all) {
    if (lifetime.made_event == 0) continue;
    const MemoryEvent& end =
        lifetime.freed_event ? event_of(history, *lifetime.freed_event) : history.events.back();
    const std::int64_t lived_ns = end.time_ns - event_of(history, lifetime.made_event).time_ns + 1;
    ranked.emplace_back(
        static_cast<double>(lifetime.requested_bytes) * static_cast<double>(lived_ns), &lifetime);
  }
  std::ranges::stable_sort(ranked, std::greater(),
                           &std::pair<double, const MemoryLifetime*>::first);
  ranked.resize(std::min(limit, ranked.size()));
  Table table = empty_table(metric::kAllocations);
  for (const auto& [byte_time, lifetime] : ranked) {
    table.rows.push_back(allocation_row(history, *lifetime, table.rows.size()));
  }
  return table;
}

}  // namespace labreport
