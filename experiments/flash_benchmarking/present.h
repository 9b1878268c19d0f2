// The latencies of attention's implementations in the report.
#pragma once

#include "experiments/experiment.h"

namespace labreport::flash_benchmarking {

Presentation present(const RunView& view);

}  // namespace labreport::flash_benchmarking
