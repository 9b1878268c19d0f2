// Writes the lanes of a traced step as a table.
#pragma once

#include <cstdint>

#include "engine/rank_group.h"
#include "measure/data_parallel/overlap.h"
#include "results/run.h"

namespace labreport {

/// Returns the table of rank 0's step.
Table lanes_of_rank_0(const Lanes& lanes);

/// Returns the table of all ranks' steps, whose times begin with the start of the first rank's.
/// `start_ns` is the start of this rank's, by the clock that all ranks share. All ranks must call
/// it.
Table lanes_of_ranks(RankGroup& group, const Lanes& lanes, std::int64_t start_ns);

}  // namespace labreport
