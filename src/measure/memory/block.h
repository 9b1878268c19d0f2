// One block's part in a step's memory.
#pragma once

#include "measure/memory/timeline.h"
#include "results/metric.h"

namespace labreport {

struct BlockMemory {
  std::vector<Metric> metrics;  ///< Tagged "block"; none where the block took no part in backward.
  std::vector<Table> tables;    ///< "block" and "block_timeline"; none without such a block.
};

/// Of the second block, past the first's start; of the only one where there is one.
BlockMemory block_memory(const MemoryTimeline& timeline);

}  // namespace labreport
