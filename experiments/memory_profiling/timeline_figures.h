// The figures of part (a), for one step.
#pragma once

#include <optional>
#include <string>

#include "document/document.h"
#include "experiments/memory_profiling/profile.h"
#include "experiments/memory_profiling/timeline.h"

namespace labreport::memory_profiling {

/// `words`: "2.7B at context 512".
Figure timeline_figure(const std::string& slug, const Step& step, const std::string& words,
                       const Timeline& timeline, double capacity);

/// Nothing where no allocation was kept singly.
std::optional<Figure> allocations_figure(const std::string& slug, const Step& step,
                                         const std::string& words, const Timeline& timeline);

/// What the names of a launch's files begin with.
std::string artifact_stem(const Step& step);

/// What a worker left in the run's folder besides numbers.
TableView files_table(const Profiles& profiles);

}  // namespace labreport::memory_profiling
