// Converts a memory timeline to the tables and metrics of a launch.
#pragma once

#include "measure/memory/timeline.h"
#include "results/metric.h"

namespace labreport {

/// Returns "timeline": about `most` instants with the requested bytes of each category that occurs,
/// and the allocated bytes.
Table timeline_table(const MemoryTimeline& timeline, std::size_t most);

/// Returns "allocations": the `most` allocations of the step with the largest bytes times lifetime.
Table allocations_table(const MemoryTimeline& timeline, std::size_t most);

/// Returns "largest": allocations of the forward phase, with those of all layers in one row.
Table largest_table(const MemoryTimeline& timeline);

/// Returns metrics tagged "category" at the peak, "resident", "rounding", "residual", and the
/// counts of "history".
std::vector<Metric> timeline_metrics(const MemoryTimeline& timeline);

struct BlockMemory {
  std::vector<Metric> metrics;  ///< Tagged "block"; empty if the block has no backward.
  std::vector<Table> tables;    ///< "block" and "block_timeline"; empty if there is no such block.
};

/// Measures the second block, which is past the first one's start-up; the only one if there is one.
BlockMemory block_memory(const MemoryTimeline& timeline);

}  // namespace labreport
