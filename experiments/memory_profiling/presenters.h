// Presents the six parts of the memory problem.
#pragma once

#include "document/section.h"
#include "experiments/memory_profiling/selected_profiles.h"

namespace labreport::memory_profiling {

inline constexpr const char* kProblem = "memory_profiling";

// All these functions need at least one profile.
PartContent present_timelines(const RunView& view, const std::vector<MemoryProfile>& profiles);
PartContent present_peaks(const RunView& view, const std::vector<MemoryProfile>& profiles);
PartContent present_precisions(const RunView& view, const std::vector<MemoryProfile>& profiles);
PartContent present_residual(const RunView& view, const std::vector<MemoryProfile>& profiles);
PartContent present_largest(const RunView& view, const std::vector<MemoryProfile>& profiles);
PartContent present_block(const RunView& view, const std::vector<MemoryProfile>& profiles);

/// Adds the datasets of the figure of part (c): "peaks", and "capacity" unless all peaks are far
/// below the GPU's memory.
void add_peaks_figure(PartContent& part, const RunView& view,
                      const std::vector<MemoryProfile>& profiles);

}  // namespace labreport::memory_profiling
