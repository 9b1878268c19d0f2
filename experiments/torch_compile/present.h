// Presents the parts of the problem.
#pragma once

#include <optional>

#include "experiments/experiment.h"

namespace labreport::torch_compile {

inline constexpr const char* kProblem = "torch_compile";

/// Both return nothing if the run has no cell for the part.
std::optional<PartContent> present_attention(const RunView& view);
std::optional<PartContent> present_network(const RunView& view);

/// True if the user passed on by --keep-env a folder with the code of earlier compilations.
bool warm_cache(const Run& run);

}  // namespace labreport::torch_compile
