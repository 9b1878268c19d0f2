// How long an all-reduce takes, by size.
#pragma once

#include "results/run.h"

namespace labreport {

/// For each of `all_reduce_sizes`, FP32: by the host's clock, the device synchronized around every
/// call, as the handout has it; on a GPU by nccl-tests' method too, n calls back to back, in place
/// and out of place. Sizes take turns in several rounds: the synchronized calls are shared out over
/// the rounds, and a mean of calls back to back is the median of the rounds' means. One call is
/// checked element by element. The ranks gather their numbers, and rank 0's launch has the whole
/// table; the others' have none.
Launch measure_all_reduce(const LaunchRequest& request);

}  // namespace labreport
