// What part (b)'s answer says.
#pragma once

#include <vector>

#include "document/facts.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_script {

/// Phases of the smallest and the largest network, their ratio, and how much they vary.
Facts duration_facts(const std::vector<TimingGroup>& groups);

}  // namespace labreport::benchmarking_script
