// Declares the presenters of both parts of the problem.
#pragma once

#include <optional>

#include "experiments/experiment.h"

namespace labreport::torch_compile {

inline constexpr const char* kProblem = "torch_compile";

/// Both functions return nothing if the run has no cell for their part.
std::optional<PartContent> present_attention(const RunView& view);
std::optional<PartContent> present_network(const RunView& view);

}  // namespace labreport::torch_compile
