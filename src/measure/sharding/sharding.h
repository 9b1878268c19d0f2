// Kind `sharding`: what ranks that train together hold, and how long their steps take.
#pragma once

#include "results/run.h"

namespace labreport {

/// Building the network, the first step and the last of the warm-up are looked at by their memory;
/// then `steps` steps are timed as a whole and as many by phases. The ranks gather their numbers:
/// rank 0's launch has them all, the others' have none. Throws `InputError` where a parameter is
/// missing, `NotOffered` for a network that is not labreport's.
Launch measure_sharding(const LaunchRequest& request);

}  // namespace labreport
