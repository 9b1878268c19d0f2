// Tabulates what limits each network's step.
#pragma once

#include <vector>

#include "document/dataset.h"
#include "experiments/common/timing.h"

namespace labreport {

/// Shows the evidence behind `bound` and the share of the measured peak, for the `preferred` mode
/// or else the longest that ran.
TableView bounds_table(const RunView& view, const std::vector<TimingGroup>& groups, Mode preferred);

}  // namespace labreport
