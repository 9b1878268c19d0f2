// The arithmetic problems of parallel training in the report; each has words of its own here.
#pragma once

#include "experiments/experiment.h"

namespace labreport::parallel_arithmetic {

Presentation communication_accounting(const RunView& view);  ///< 2025
Presentation alternate_ring_all_reduce(const RunView& view);
Presentation data_parallel_calcs(const RunView& view);
Presentation fsdp_calcs(const RunView& view);
Presentation tp_calcs(const RunView& view);
Presentation fsdp_tp_calcs(const RunView& view);

}  // namespace labreport::parallel_arithmetic
