// The problem of all-reduce on one node in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::distributed_communication_single_node {

Presentation present(const RunView& view);

}  // namespace labreport::distributed_communication_single_node
