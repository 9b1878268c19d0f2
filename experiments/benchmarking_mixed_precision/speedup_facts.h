// What part (c) can say about its speedups.
#pragma once

#include <vector>

#include "document/facts.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"

namespace labreport::benchmarking_mixed_precision {

/// `rows` is not empty; the answer speaks of its first precision. `has_bf16`: the device multiplies
/// in BF16 itself.
Facts speedup_facts(const std::vector<Speedup>& rows, bool has_bf16);

}  // namespace labreport::benchmarking_mixed_precision
