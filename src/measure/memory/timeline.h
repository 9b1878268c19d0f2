// The memory in use after each event, by category.
#pragma once

#include <set>

#include "measure/memory/lifetimes.h"

namespace labreport {

struct MemoryInstant {
  std::size_t event_number = 0;  ///< 0 before the first event.
  std::array<std::int64_t, kMemoryCategories.size()> requested_bytes{};  ///< By category.
  std::int64_t allocated_bytes = 0;  ///< Rounded to blocks by the allocator.

  std::int64_t total_requested() const;
};

/// A history with its lifetimes and instants. The history must outlive the timeline.
struct MemoryTimeline {
  const MemoryHistory& history;
  MemoryLifetimes lifetimes;
  std::vector<MemoryInstant> instants;  ///< The first instant is before any event.
  std::size_t peak_index = 0;  ///< Index of the first instant with the most requested bytes.

  const MemoryOrigin* origin(const MemoryInstant& instant) const;  ///< Null before any event.
  std::int64_t time_ns(const MemoryInstant& instant) const;
};

MemoryTimeline timeline_of(const MemoryHistory& history, const KnownMemory& known);

/// Returns the indices of about `limit` instants: `first`, `last`, and those with the most and the
/// fewest requested bytes in each of several equal sections between them, so that peaks are kept.
std::set<std::size_t> extreme_indices(const MemoryTimeline& timeline, std::size_t first,
                                      std::size_t last, std::size_t limit);

/// Returns the indices of about `limit` instants in order: extreme_indices() of the timeline,
/// and always the first, the last (where an allocation may have failed), the peak, and both ends of
/// each phase.
std::vector<std::size_t> thinned_indices(const MemoryTimeline& timeline, std::size_t limit);

}  // namespace labreport
