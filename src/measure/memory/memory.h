// One step's memory: its peaks, and everything that its allocator did.
#pragma once

#include "results/run.h"

namespace labreport {

/// Takes a cell of kind `memory`. A step that runs out of memory keeps what is known up to there:
/// its outcome is set here, not thrown.
Launch measure_memory(const LaunchRequest& request);

}  // namespace labreport
