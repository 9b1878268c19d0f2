// The three parts of the mixed-precision problem.
#pragma once

#include <optional>

#include "report/section.h"
#include "report/view.h"

namespace labreport::benchmarking_mixed_precision {

inline constexpr const char* kProblem = "benchmarking_mixed_precision";

/// Nothing where the run has no cell for the part.
std::optional<PartContent> present_dtypes(const RunView& view);
std::optional<PartContent> present_layer_norm(const RunView& view);
std::optional<PartContent> present_speedups(const RunView& view);

/// The launch of the first cell of `kind`, if it is ok; else null, and why in `reason`.
const Launch* launch_of(const RunView& view, CellKind kind, std::string& reason);

/// One row: the command that measures the first cell of `kind` again.
TableView command_table(const RunView& view, CellKind kind);

}  // namespace labreport::benchmarking_mixed_precision
