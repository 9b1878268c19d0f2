// What was allocated after each event, by category.
#pragma once

#include <set>

#include "measure/memory/lifetimes.h"

namespace labreport {

struct MemoryInstant {
  std::size_t event = 0;
  std::array<std::int64_t, kMemoryCategories.size()> requested{};
  std::int64_t allocated = 0;  ///< Blocks, as the allocator rounds.

  std::int64_t total() const;  ///< Requested, of all categories.
};

/// A history with all that is found in it. The history has to outlive it.
struct MemoryTimeline {
  const MemoryHistory& history;
  MemoryLifetimes found;
  std::vector<MemoryInstant> instants;  ///< The first is before any event.
  std::size_t peak = 0;                 ///< The first instant with most requested bytes.

  const MemoryOrigin* origin(const MemoryInstant& instant) const;  ///< Null before any event.
  std::int64_t time_ns(const MemoryInstant& instant) const;
};

MemoryTimeline timeline_of(const MemoryHistory& history, const KnownMemory& known);

/// Of the instants from `first` to `last`: both, and the highest and lowest of each stretch, so
/// that at most about `most` remain and no rise is lost.
std::set<std::size_t> extremes(const MemoryTimeline& timeline, std::size_t first, std::size_t last,
                               std::size_t most);

/// At most about `most` of the instants, in order: their extremes, and always the first, the
/// last (where an allocation failed), the peak, each phase's first and last.
std::vector<std::size_t> thinned(const MemoryTimeline& timeline, std::size_t most);

}  // namespace labreport
