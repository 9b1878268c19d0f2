// A memory timeline as the tables and metrics of a launch.
#pragma once

#include "measure/memory/timeline.h"
#include "results/metric.h"

namespace labreport {

/// "timeline": thinned to about `most` rows, requested bytes of each category that
/// is ever there, and what all took.
Table timeline_table(const MemoryTimeline& timeline, std::size_t most);

/// "allocations": the `most` that took most for longest, of the ones made in the step.
Table allocations_table(const MemoryTimeline& timeline, std::size_t most);

/// "largest": allocations of the forward phase, those of all layers as one row.
Table largest_table(const MemoryTimeline& timeline);

/// Tagged "category" at the peak, "resident", "rounding", "residual" and the counts of "history".
std::vector<Metric> timeline_metrics(const MemoryTimeline& timeline);

/// "in the same module", the phase of the freeing, or "kept".
std::string freed_when(const MemoryHistory& history, const MemoryLifetime& lifetime);

}  // namespace labreport
