// The memory that one block adds to a step.
#pragma once

#include "measure/memory/timeline.h"
#include "results/metric.h"

namespace labreport {

struct BlockMemory {
  std::vector<Metric> metrics;  ///< Tagged "block"; empty if the block has no backward.
  std::vector<Table> tables;    ///< "block" and "block_timeline"; empty if there is no such block.
};

/// Measures the second block, which is past the first one's start-up; the only one if there is one.
BlockMemory block_memory(const MemoryTimeline& timeline);

}  // namespace labreport
