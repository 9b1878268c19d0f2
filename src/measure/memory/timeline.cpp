#include "measure/memory/timeline.h"

#include <algorithm>
#include <numeric>

namespace labreport {
namespace {

void add(MemoryInstant& instant, const MemoryLifetime& lifetime, int sign) {
  instant.requested[static_cast<std::size_t>(lifetime.category)] += sign * lifetime.requested;
  instant.allocated += sign * lifetime.block;
}

bool less(const MemoryInstant& a, const MemoryInstant& b) { return a.total() < b.total(); }

}  // namespace

std::int64_t MemoryInstant::total() const {
  return std::accumulate(requested.begin(), requested.end(), std::int64_t{0});
}

const MemoryOrigin* MemoryTimeline::origin(const MemoryInstant& instant) const {
  return instant.event == 0 ? nullptr : &origin_of(history, instant.event);
}

std::int64_t MemoryTimeline::time_ns(const MemoryInstant& instant) const {
  return instant.event == 0 ? 0 : event_of(history, instant.event).time_ns;
}

MemoryTimeline timeline_of(const MemoryHistory& history, const KnownMemory& known) {
  MemoryTimeline timeline{history, lifetimes_of(history, known), {}, 0};
  std::vector<MemoryInstant> changes(history.events.size() + 1);  // by number of the event
  for (const MemoryLifetime& lifetime : timeline.found.lifetimes) {
    add(changes[lifetime.made], lifetime, +1);
    if (lifetime.freed) add(changes[*lifetime.freed], lifetime, -1);
  }
  MemoryInstant now = changes.front();
  timeline.instants.push_back(now);
  for (std::size_t number = 1; number < changes.size(); ++number) {
    now.event = number;
    now.allocated += changes[number].allocated;
    for (std::size_t i = 0; i < now.requested.size(); ++i) {
      now.requested[i] += changes[number].requested[i];
    }
    const MemoryEventKind kind = event_of(history, number).kind;
    const bool segment = kind == MemoryEventKind::kSegment || kind == MemoryEventKind::kSegmentFree;
    if (!segment) timeline.instants.push_back(now);
  }
  const auto highest = std::ranges::max_element(timeline.instants, less);
  timeline.peak = std::size_t(highest - timeline.instants.begin());
  return timeline;
}

std::set<std::size_t> extremes(const MemoryTimeline& timeline, std::size_t first, std::size_t last,
                               std::size_t most) {
  std::set<std::size_t> kept{first, last};
  const auto from = timeline.instants.begin() + std::ptrdiff_t(first);
  const std::size_t count = last - first + 1;
  const std::size_t sections = std::max<std::size_t>(most / 2, 2) - 1;
  for (std::size_t i = 0; i < sections; ++i) {
    const auto begin = from + std::ptrdiff_t(i * count / sections);
    const auto end = from + std::ptrdiff_t((i + 1) * count / sections);
    if (begin == end) continue;
    const auto [lowest, highest] = std::minmax_element(begin, end, less);
    kept.insert(std::size_t(lowest - timeline.instants.begin()));
    kept.insert(std::size_t(highest - timeline.instants.begin()));
  }
  return kept;
}

std::vector<std::size_t> thinned(const MemoryTimeline& timeline, std::size_t most) {
  std::set<std::size_t> kept{timeline.peak};
  const std::string* phase = nullptr;
  for (std::size_t i = 1; i < timeline.instants.size(); ++i) {
    const std::string& next = timeline.origin(timeline.instants[i])->phase;
    if (phase == nullptr || *phase != next) kept.insert({i - 1, i});
    phase = &next;
  }
  const std::size_t rest = most > kept.size() ? most - kept.size() : 0;
  kept.merge(extremes(timeline, 0, timeline.instants.size() - 1, rest));
  return {kept.begin(), kept.end()};
}

}  // namespace labreport
