// The one number that a launch counts for.
#pragma once

#include <optional>
#include <vector>

#include "results/run.h"

namespace labreport {

/// Nanoseconds: the median of the counted steps' whole time (`metric::kStep`, `metric::kTotal`; the
/// first `warmup` are not counted). Absent for what is no timing cell, did not end ok, or counts no
/// step.
std::optional<double> launch_median(const CellSpec& spec, const Launch& launch);

/// Those of a cell's launches that have one, in their order.
std::vector<double> launch_medians(const Cell& cell);

}  // namespace labreport
