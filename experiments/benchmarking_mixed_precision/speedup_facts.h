// What part (c) can say about its speedups.
#pragma once

#include <vector>

#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "report/facts.h"

namespace labreport::benchmarking_mixed_precision {

/// `rows` is not empty; the answer speaks of its first precision.
Facts speedup_facts(const std::vector<Speedup>& rows);

}  // namespace labreport::benchmarking_mixed_precision
