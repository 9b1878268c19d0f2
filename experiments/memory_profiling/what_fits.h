// "What fits?": peaks predicted by first principles, for the sizes of the edition at any context
// and batch, where the run's measured peaks confirm the formulas.
#pragma once

#include "document/section.h"
#include "experiments/memory_profiling/profile.h"

namespace labreport::memory_profiling {

/// Adds "what-fits", each size's predicted training step by part, with all coefficients for the
/// page; "cards", the memory sizes it is held against; "fits", the smallest card by size and
/// context; and "predictions", how near the measured peaks lie. Adds nothing if no measured peak
/// confirms any, and on a CPU. Sets the fact `predicted` in either case.
void add_what_fits(PartContent& part, const RunView& view, const std::vector<Profile>& profiles);

/// The formulas that the run's measured peaks confirm: of the memory problem's steps, of steps with
/// checkpoints, and of steps that share the optimizer's state among ranks.
MemoryFormulas memory_formulas(const RunView& view);

}  // namespace labreport::memory_profiling
