// Memory over one block's forward and backward.
#pragma once

#include <optional>

#include "document/document.h"
#include "experiments/memory_profiling/profile.h"

namespace labreport::memory_profiling {

/// Nothing where the block's timeline was not kept.
std::optional<Figure> block_figure(const Profile& profile, const Step& step);

}  // namespace labreport::memory_profiling
