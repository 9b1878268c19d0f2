// Makes a table of what bounds each network's step: kernel launches or the GPU.
#pragma once

#include <vector>

#include "experiments/common/timing.h"

namespace labreport {

/// Shows what sets each network's times (see `NetworkBounds`), the shares behind it, what a launch
/// costs the longest mode that ran, and that mode's MFU.
TableView bounds_table(const RunView& view, const std::vector<TimingGroup>& groups);

}  // namespace labreport
