#include "measure/memory/timeline.h"

#include <algorithm>
#include <numeric>

namespace labreport {
namespace {

void add_bytes(MemoryInstant& instant, const MemoryLifetime& lifetime, int sign) {
  instant.requested_bytes[static_cast<std::size_t>(lifetime.category)] +=
      sign * lifetime.requested_bytes;
  instant.allocated_bytes += sign * lifetime.block_bytes;
}

bool is_less(const MemoryInstant& a, const MemoryInstant& b) {
  return a.total_requested() < b.total_requested();
}

}  // namespace

std::int64_t MemoryInstant::total_requested() const {
  return std::accumulate(requested_bytes.begin(), requested_bytes.end(), std::int64_t{0});
}

const MemoryOrigin* MemoryTimeline::origin(const MemoryInstant& instant) const {
  return instant.event_number == 0 ? nullptr : &origin_of(history, instant.event_number);
}

std::int64_t MemoryTimeline::time_ns(const MemoryInstant& instant) const {
  return instant.event_number == 0 ? 0 : event_of(history, instant.event_number).time_ns;
}

MemoryTimeline timeline_of(const MemoryHistory& history, const KnownMemory& known) {
  MemoryTimeline timeline{history, lifetimes_of(history, known), {}, 0};
  std::vector<MemoryInstant> changes(history.events.size() + 1);  // by number of the event
  for (const MemoryLifetime& lifetime : timeline.lifetimes.all) {
    add_bytes(changes[lifetime.made_event], lifetime, +1);
    if (lifetime.freed_event) add_bytes(changes[*lifetime.freed_event], lifetime, -1);
  }
  MemoryInstant current = changes.front();
  timeline.instants.push_back(current);
  for (std::size_t number = 1; number < changes.size(); ++number) {
    current.event_number = number;
    current.allocated_bytes += changes[number].allocated_bytes;
    for (std::size_t i = 0; i < current.requested_bytes.size(); ++i) {
      current.requested_bytes[i] += changes[number].requested_bytes[i];
    }
    const MemoryEventKind kind = event_of(history, number).kind;
    const bool is_segment =
        kind == MemoryEventKind::kSegment || kind == MemoryEventKind::kSegmentFree;
    if (!is_segment) timeline.instants.push_back(current);
  }
  const auto highest = std::ranges::max_element(timeline.instants, is_less);
  timeline.peak_index = std::size_t(highest - timeline.instants.begin());
  return timeline;
}

std::set<std::size_t> extreme_indices(const MemoryTimeline& timeline, std::size_t first,
                                      std::size_t last, std::size_t limit) {
  std::set<std::size_t> indices{first, last};
  const auto first_instant = timeline.instants.begin() + std::ptrdiff_t(first);
  const std::size_t count = last - first + 1;
  const std::size_t sections = std::max<std::size_t>(limit / 2, 2) - 1;
  for (std::size_t i = 0; i < sections; ++i) {
    const auto begin = first_instant + std::ptrdiff_t(i * count / sections);
    const auto end = first_instant + std::ptrdiff_t((i + 1) * count / sections);
    if (begin == end) continue;
    const auto [lowest, highest] = std::minmax_element(begin, end, is_less);
    indices.insert(std::size_t(lowest - timeline.instants.begin()));
    indices.insert(std::size_t(highest - timeline.instants.begin()));
  }
  return indices;
}

std::vector<std::size_t> thinned_indices(const MemoryTimeline& timeline, std::size_t limit) {
  std::set<std::size_t> indices{timeline.peak_index};
  const std::string* previous_phase = nullptr;
  for (std::size_t i = 1; i < timeline.instants.size(); ++i) {
    const std::string& phase = timeline.origin(timeline.instants[i])->phase;
    if (previous_phase == nullptr || *previous_phase != phase) indices.insert({i - 1, i});
    previous_phase = &phase;
  }
  const std::size_t rest = limit > indices.size() ? limit - indices.size() : 0;
  indices.merge(extreme_indices(timeline, 0, timeline.instants.size() - 1, rest));
  return {indices.begin(), indices.end()};
}

}  // namespace labreport
