// Presents the parts of the mixed-precision problem that do not depend on a network.
#pragma once

#include <optional>

#include "document/section.h"
#include "document/view.h"

namespace labreport::benchmarking_mixed_precision {

inline constexpr const char* kProblem = "benchmarking_mixed_precision";

/// Returns the cell that traces the toy model's dtypes; null if the run has none.
const Cell* toy_model_cell(const RunView& view);

/// Both functions return nothing if the run has no cell for their part.
std::optional<PartContent> present_dtypes(const RunView& view);
std::optional<PartContent> present_layer_norm(const RunView& view);

}  // namespace labreport::benchmarking_mixed_precision
