// Allocated memory after each event, by category.
#pragma once

#include <set>

#include "measure/memory/lifetimes.h"

namespace labreport {

struct MemoryInstant {
  std::size_t event = 0;
  std::array<std::int64_t, kMemoryCategories.size()> requested{};
  std::int64_t allocated = 0;  ///< Bytes, rounded to blocks by the allocator.

  std::int64_t total() const;  ///< Requested bytes over all categories.
};

/// A history with its lifetimes and instants. The history must outlive it.
struct MemoryTimeline {
  const MemoryHistory& history;
  MemoryLifetimes found;
  std::vector<MemoryInstant> instants;  ///< The first one is before any event.
  std::size_t peak = 0;                 ///< Index of the first one with the most requested bytes.

  const MemoryOrigin* origin(const MemoryInstant& instant) const;  ///< Null before any event.
  std::int64_t time_ns(const MemoryInstant& instant) const;
};

MemoryTimeline timeline_of(const MemoryHistory& history, const KnownMemory& known);

/// Returns the indices of about `most` instants: `first`, `last`, and those with the most and the
/// fewest requested bytes in each of several equal sections between them, so that peaks are kept.
std::set<std::size_t> extremes(const MemoryTimeline& timeline, std::size_t first, std::size_t last,
                               std::size_t most);

/// Returns the indices of about `most` instants in order: extremes() of the timeline, and always
/// the first, the last (where an allocation may have failed), the peak, and both ends of each
/// phase.
std::vector<std::size_t> thinned(const MemoryTimeline& timeline, std::size_t most);

}  // namespace labreport
