// The problem of FSDP in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::fsdp_accounting {

Presentation present(const RunView& view);

}  // namespace labreport::fsdp_accounting
