// A step's largest allocations, each a box of its own, as PyTorch's memory_viz draws them.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/memory_profiling/timeline.h"

namespace labreport::memory_profiling {

/// Boxes lie on what was there before the step, in the order in which they were made; what is
/// below a box and is freed lets it sink. A reader's setting, Detail, says how many of the largest
/// are boxes; the grey above them is the rest.
nlohmann::json allocation_chart(const Timeline& timeline,
                                const std::vector<Allocation>& allocations);

/// Where its axis of memory begins, in bytes: at 0, but where what was there before dwarfs the
/// rest.
double axis_begin(const Timeline& timeline);

}  // namespace labreport::memory_profiling
