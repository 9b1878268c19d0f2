#include "measure/memory/tables.h"

#include <algorithm>

#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

std::int64_t whole(std::size_t number) { return static_cast<std::int64_t>(number); }

std::string text(std::string_view words) { return std::string(words); }

/// Returns the categories that have an allocation.
std::vector<MemoryCategory> categories_of(const MemoryTimeline& timeline) {
  std::vector<MemoryCategory> found;
  for (const MemoryCategory category : kMemoryCategories) {
    const auto there = [category](const MemoryLifetime& lifetime) {
      return lifetime.category == category;
    };
    if (std::ranges::any_of(timeline.found.lifetimes, there)) found.push_back(category);
  }
  return found;
}

std::vector<Scalar> timeline_row(const MemoryTimeline& timeline, const MemoryInstant& instant,
                                 const std::vector<MemoryCategory>& categories) {
  const MemoryOrigin* origin = timeline.origin(instant);
  std::vector<Scalar> row{whole(instant.event), timeline.time_ns(instant),
                          origin ? origin->phase : ""};
  for (const MemoryCategory category : categories) {
    row.emplace_back(instant.requested[static_cast<std::size_t>(category)]);
  }
  row.emplace_back(instant.allocated);
  return row;
}

std::int64_t end_ns(const MemoryHistory& history, const MemoryLifetime& lifetime) {
  if (lifetime.freed) return event_of(history, *lifetime.freed).time_ns;
  return history.events.back().time_ns;
}

double bytes_times_lifetime(const MemoryHistory& history, const MemoryLifetime& lifetime) {
  const std::int64_t lived = end_ns(history, lifetime) - event_of(history, lifetime.made).time_ns;
  return static_cast<double>(lifetime.requested) * static_cast<double>(lived + 1);
}

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
                          text(name(lifetime.category))};
  if (lifetime.freed) {
    const MemoryEvent& freed = event_of(history, *lifetime.freed);
    row[3] = whole(*lifetime.freed);
    row[5] = freed.time_ns;
    row[7] = history.origin(freed).phase;
  }
  return row;
}

/// Returns the `most` allocations of the step with the largest bytes times lifetime, largest first.
std::vector<const MemoryLifetime*> lasting(const MemoryTimeline& timeline, std::size_t most) {
  std::vector<std::pair<double, const MemoryLifetime*>> ranked;
  for (const MemoryLifetime& lifetime : timeline.found.lifetimes) {
    if (lifetime.made > 0)
      ranked.emplace_back(bytes_times_lifetime(timeline.history, lifetime), &lifetime);
  }
  std::ranges::stable_sort(ranked, std::greater(),
                           &std::pair<double, const MemoryLifetime*>::first);
  ranked.resize(std::min(most, ranked.size()));
  std::vector<const MemoryLifetime*> result;
  for (const auto& [rank, lifetime] : ranked) result.push_back(lifetime);
  return result;
}

}  // namespace

std::string freed_when(const MemoryHistory& history, const MemoryLifetime& lifetime) {
  if (!lifetime.freed) return text(metric::kKept);
  const MemoryOrigin& made = history.origin(event_of(history, lifetime.made));
  const MemoryOrigin& freed = history.origin(event_of(history, *lifetime.freed));
  const bool inside = freed.phase == made.phase && freed.module == made.module;
  return inside ? "in the same module" : freed.phase;
}

Table timeline_table(const MemoryTimeline& timeline, std::size_t most) {
  const std::vector<MemoryCategory> categories = categories_of(timeline);
  std::vector<std::string_view> names;
  for (const MemoryCategory category : categories) names.push_back(name(category));
  Table table = shape::timeline(names);
  for (const std::size_t index : thinned(timeline, most)) {
    table.rows.push_back(timeline_row(timeline, timeline.instants[index], categories));
  }
  return table;
}

Table allocations_table(const MemoryTimeline& timeline, std::size_t most) {
  Table table = shape::allocations();
  for (const MemoryLifetime* lifetime : lasting(timeline, most)) {
    table.rows.push_back(allocation_row(timeline.history, *lifetime, table.rows.size()));
  }
  return table;
}

}  // namespace labreport
