// How much launches of the same cell differ.
#pragma once

#include <optional>

#include "results/run.h"

namespace labreport {

/// The standard deviation of the logarithms of launch medians (`launch_median`), pooled over the
/// timing cells with at least two: each cell's squares about its own mean, summed and divided by
/// launches less cells. Cells that count a single step are left out: it is cold, and varies as no
/// warm one does. Absent where nothing is left.
std::optional<NoiseFloor> noise_floor(const Run& run);

}  // namespace labreport
