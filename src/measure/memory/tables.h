// Converts a memory timeline to the tables and metrics of a launch.
#pragma once

#include "measure/memory/timeline.h"
#include "results/metric.h"

namespace labreport {

/// Returns "timeline": about `limit` instants with the requested bytes of each category that
/// occurs, and the allocated bytes.
Table timeline_table(const MemoryTimeline& timeline, std::size_t limit);

/// Returns "allocations": the `limit` allocations of the step with the most bytes times lifetime.
Table allocations_table(const MemoryTimeline& timeline, std::size_t limit);

/// Returns "largest": at most 25 rows for the allocations of the forward phase with the most bytes.
/// Equal allocations of different layers share a row.
Table largest_table(const MemoryTimeline& timeline);

/// Returns metrics of requested bytes by category, tagged "resident" before the step and "category"
/// at the peak; and metrics tagged "rounding" (bytes that the allocator adds), "residual" (the last
/// block's output) and "history" (numbers of events and of lost events).
std::vector<Metric> timeline_metrics(const MemoryTimeline& timeline);

struct TransformerBlockMemory {
  std::vector<Metric> metrics;  ///< Tagged "block"; only "kept" without backward.
  std::vector<Table> tables;    ///< "block" and "block_timeline"; empty without blocks.
};

/// Measures the second Transformer block, because one-time allocations fall into the first; if
/// there is only one block, measures that one. Returns nothing without blocks.
TransformerBlockMemory transformer_block_memory(const MemoryTimeline& timeline);

}  // namespace labreport
