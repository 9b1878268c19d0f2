// Draws a step's largest allocations, as PyTorch's memory_viz does: each is a box from the
// allocator event that made it to the one that freed it. Boxes lie on the memory from before the
// step, oldest lowest; a box sinks when one below it is freed.
#pragma once

#include <vector>

#include "document/dataset.h"
#include "experiments/common/bytes.h"
#include "experiments/memory_profiling/timeline.h"

namespace labreport::memory_profiling {

/// Ranges of allocator events, split wherever a drawn allocation is made or freed.
struct Bins {
  std::vector<double> bounds;  ///< Event numbers; bin i reaches from bounds[i] to bounds[i + 1].
  /// The fewest requested bytes in each bin; infinite in a bin without a recorded instant.
  std::vector<double> least_bytes;

  std::size_t index_of(double event) const;
};

/// `timeline` must not be empty.
Bins bins_of(const Timeline& timeline, const std::vector<Allocation>& allocations);

/// Returns the bytes at which the figure's memory axis begins. They are 0 unless the step adds at
/// most a fifth of its peak to the memory from before the step.
double axis_begin_bytes(const Timeline& timeline);

/// Returns "lifetimes" (boxes, largest first) and "lifetime-bins" for the figure, "lifetime-kinds"
/// for the table. Returns nothing without `allocations`.
std::vector<Dataset> lifetime_datasets(const Timeline& timeline,
                                       const std::vector<Allocation>& allocations,
                                       const ByteUnit& unit);

}  // namespace labreport::memory_profiling
