// What sets the pace of each network's step.
#pragma once

#include <vector>

#include "document/dataset.h"
#include "experiments/common/timing.h"

namespace labreport {

/// The evidence behind `bound`, and the share of the measured peak: of the `preferred` mode, else
/// of the fullest that ran.
TableView bounds_table(const RunView& view, const std::vector<TimingGroup>& groups, Mode preferred);

}  // namespace labreport
