// Mixed precision on both sides: what FP32 takes over what another precision takes.
#pragma once

#include <vector>

#include "analysis/comparison.h"

namespace labreport {

/// For each timed row in another precision whose FP32 row is among `rows`, in their order.
std::vector<SpeedupRow> speedups_of(const std::vector<ComparedRow>& rows);

}  // namespace labreport
