#include "measure/memory/timeline.h"

#include <algorithm>
#include <numeric>

namespace labreport {
namespace {

std::size_t index_of(MemoryCategory category) { return static_cast<std::size_t>(category); }

void add(MemoryInstant& instant, const MemoryLifetime& lifetime, int sign) {
  instant.requested[index_of(lifetime.category)] += sign * lifetime.requested;
  instant.allocated += sign * lifetime.block;
}

bool changes_memory(const MemoryEvent& event) {
  return event.kind == MemoryEventKind::kAllocation || event.kind == MemoryEventKind::kFree ||
         event.kind == MemoryEventKind::kOutOfMemory;
}

/// Returns the change of memory at each event.
std::vector<MemoryInstant> changes_of(const MemoryHistory& history, const MemoryLifetimes& found) {
  std::vector<MemoryInstant> changes(history.events.size() + 1);
  for (const MemoryLifetime& lifetime : found.lifetimes) {
    add(changes[lifetime.made], lifetime, +1);
    if (lifetime.freed) add(changes[*lifetime.freed], lifetime, -1);
  }
  return changes;
}

void accumulate(MemoryInstant& sum, const MemoryInstant& change) {
  for (std::size_t i = 0; i < sum.requested.size(); ++i) sum.requested[i] += change.requested[i];
  sum.allocated += change.allocated;
}

std::vector<MemoryInstant> instants_of(const MemoryHistory& history, const MemoryLifetimes& found) {
  const std::vector<MemoryInstant> changes = changes_of(history, found);
  std::vector<MemoryInstant> instants{changes.front()};
  MemoryInstant now = changes.front();
  for (std::size_t number = 1; number < changes.size(); ++number) {
    now.event = number;
    accumulate(now, changes[number]);
    if (changes_memory(event_of(history, number))) instants.push_back(now);
  }
  return instants;
}

bool less(const MemoryInstant& a, const MemoryInstant& b) { return a.total() < b.total(); }

void keep_phase_ends(const MemoryTimeline& timeline, std::set<std::size_t>& kept) {
  const std::string* phase = nullptr;
  for (std::size_t i = 1; i < timeline.instants.size(); ++i) {
    const std::string& next = timeline.origin(timeline.instants[i])->phase;
    if (phase == nullptr || *phase != next) kept.insert({i - 1, i});
    phase = &next;
  }
}

}  // namespace

std::int64_t MemoryInstant::total() const {
  return std::accumulate(requested.begin(), requested.end(), std::int64_t{0});
}

const MemoryOrigin* MemoryTimeline::origin(const MemoryInstant& instant) const {
  return instant.event == 0 ? nullptr : &history.origin(event_of(history, instant.event));
}

std::int64_t MemoryTimeline::time_ns(const MemoryInstant& instant) const {
  return instant.event == 0 ? 0 : event_of(history, instant.event).time_ns;
}

MemoryTimeline timeline_of(const MemoryHistory& history, const KnownMemory& known) {
  MemoryTimeline timeline{history, lifetimes_of(history, known), {}, 0};
  timeline.instants = instants_of(history, timeline.found);
  const auto highest = std::ranges::max_element(timeline.instants, less);
  timeline.peak = std::size_t(highest - timeline.instants.begin());
  return timeline;
}

std::set<std::size_t> extremes(const MemoryTimeline& timeline, std::size_t first, std::size_t last,
                               std::size_t most) {
  std::set<std::size_t> kept{first, last};
  const auto from = timeline.instants.begin() + std::ptrdiff_t(first);
  const std::size_t count = last - first + 1;
  const std::size_t stretches = std::max<std::size_t>(most / 2, 2) - 1;
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto begin = from + std::ptrdiff_t(i * count / stretches);
    const auto end = from + std::ptrdiff_t((i + 1) * count / stretches);
    if (begin == end) continue;
    const auto [lowest, highest] = std::minmax_element(begin, end, less);
    kept.insert(std::size_t(lowest - timeline.instants.begin()));
    kept.insert(std::size_t(highest - timeline.instants.begin()));
  }
  return kept;
}

std::vector<std::size_t> thinned(const MemoryTimeline& timeline, std::size_t most) {
  std::set<std::size_t> kept{timeline.peak};
  keep_phase_ends(timeline, kept);
  const std::size_t rest = most > kept.size() ? most - kept.size() : 0;
  kept.merge(extremes(timeline, 0, timeline.instants.size() - 1, rest));
  return {kept.begin(), kept.end()};
}

}  // namespace labreport
