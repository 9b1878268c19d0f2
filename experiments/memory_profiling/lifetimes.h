// A step's largest allocations, each a box of its own over the allocator's events, as PyTorch's
// memory_viz draws them. Boxes lie on what was there before the step, in the order in which they
// were made; what is below a box and is freed lets it sink.
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

/// The datasets "lifetimes", ranked by size, "lifetime-bins" and, for the table, "lifetime-kinds";
/// none where the launch kept no allocation singly.
std::vector<Dataset> lifetimes(const Timeline& timeline, const std::vector<Allocation>& allocations,
                               const ByteUnit& unit);

}  // namespace labreport::memory_profiling
