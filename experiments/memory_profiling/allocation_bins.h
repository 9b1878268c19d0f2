// The events between which no drawn allocation comes or goes.
#pragma once

#include <vector>

#include "experiments/memory_profiling/timeline.h"

namespace labreport::memory_profiling {

struct Bins {
  std::vector<double> bounds;  ///< Events; bin i reaches from bounds[i] to bounds[i + 1].
  /// Requested bytes, the least within each bin; infinite where a thinned curve has no point.
  std::vector<double> least;

  std::size_t at(double event) const;
};

Bins bins_of(const Timeline& timeline, const std::vector<Allocation>& allocations);

}  // namespace labreport::memory_profiling
