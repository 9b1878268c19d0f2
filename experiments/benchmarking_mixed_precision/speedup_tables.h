// The tables and figures of part (c).
#pragma once

#include <vector>

#include "document/document.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"

namespace labreport::benchmarking_mixed_precision {

/// Forward, backward and step of every network in every precision.
TableView times_table(const std::vector<TimingGroup>& groups);
TableView speedups_table(const std::vector<Speedup>& rows);

/// FP32 and the others joined, size by size.
Figure times_figure(const std::vector<Speedup>& rows);
/// One precision's speedup by the number of parameters, launch-bound sizes shaded.
Figure speedup_figure(const std::vector<Speedup>& rows);

}  // namespace labreport::benchmarking_mixed_precision
