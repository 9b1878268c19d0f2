// Tabulates what limits each network's step.
#pragma once

#include <vector>

#include "document/dataset.h"
#include "experiments/common/timing.h"

namespace labreport {

/// Shows each network's `bound`, the measurements it follows from, and the step's rate as a share
/// of the measured peak rate. If the `preferred` mode did not run, the longest that did is shown.
TableView bounds_table(const RunView& view, const std::vector<TimingGroup>& groups, Mode preferred);

}  // namespace labreport
