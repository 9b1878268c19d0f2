// The parts of the problem, and what they plan.
#pragma once

#include <optional>

#include "experiments/experiment.h"

namespace labreport::torch_compile {

inline constexpr const char* kProblem = "torch_compile";

/// Nothing where the run measured nothing of it.
std::optional<PartContent> present_attention(const RunView& view);
std::optional<PartContent> present_network(const RunView& view);

/// Its user named a folder with code of earlier compilations and kept it by --keep-env.
bool warm_cache(const Run& run);

}  // namespace labreport::torch_compile
