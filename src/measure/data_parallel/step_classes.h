// Adds up the kernels of a traced step by what they compute.
#pragma once

#include <cstdint>

#include "engine/rank_group.h"
#include "engine/trace_event.h"
#include "results/run.h"

namespace labreport {

/// Returns the table kStepClasses of all ranks: launches and time of each class in metric_names.h,
/// of the kernels that begin within the range `range`. All ranks must call it. The table has no
/// rows on a CPU, whose trace has no kernels.
Table step_classes(RankGroup& group, const Trace& trace, std::string_view range);

}  // namespace labreport
