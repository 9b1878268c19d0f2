// A step's largest allocations, each a box over the allocator's events, as PyTorch's memory_viz
// draws them. Boxes lie on the memory from before the step, in the order in which they were made; a
// box sinks when one below it is freed.
#pragma once

#include <vector>

#include "document/dataset.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/timeline.h"

namespace labreport::memory_profiling {

/// Splits the events wherever a drawn allocation is made or freed.
struct Bins {
  std::vector<double> bounds;  ///< Events; bin i reaches from bounds[i] to bounds[i + 1].
  /// Requested bytes, the least within each bin; infinite where a thinned curve has no point.
  std::vector<double> least;

  std::size_t at(double event) const;
};

/// `timeline` is not empty.
Bins bins_of(const Timeline& timeline, const std::vector<Allocation>& allocations);

/// The byte at which the figure's axis of memory begins: 0, unless what was there before the step
/// dwarfs the rest.
double axis_begin(const Timeline& timeline);

/// The datasets "lifetimes", ranked by size, "lifetime-bins" and, for the table, "lifetime-kinds".
/// Empty if the launch recorded no single allocations.
std::vector<Dataset> lifetimes(const Timeline& timeline, const std::vector<Allocation>& allocations,
                               const ByteUnit& unit);

}  // namespace labreport::memory_profiling
