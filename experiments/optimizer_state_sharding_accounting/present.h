// The problem of a sharded optimizer in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::optimizer_state_sharding_accounting {

Presentation present(const RunView& view);

}  // namespace labreport::optimizer_state_sharding_accounting
