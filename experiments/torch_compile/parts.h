// The parts of the problem, and what they plan.
#pragma once

#include <optional>

#include "experiments/experiment.h"

namespace labreport::torch_compile {

inline constexpr const char* kProblem = "torch_compile";

/// Both return nothing if the run has no cell for the part.
std::optional<PartContent> present_attention(const RunView& view);
std::optional<PartContent> present_network(const RunView& view);

/// The run's user named a folder with code of earlier compilations and passed it on by --keep-env.
bool warm_cache(const Run& run);

}  // namespace labreport::torch_compile
