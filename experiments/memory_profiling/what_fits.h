// "What fits?": peaks of memory predicted by formulas for the edition's sizes at any context and
// batch, where the run's measured peaks confirm the formulas.
#pragma once

#include "document/section.h"
#include "document/summary.h"
#include "experiments/memory_profiling/selected_profiles.h"

namespace labreport::memory_profiling {

/// Adds "what-fits", each size's predicted training peak by category, with the formulas that the
/// page evaluates; "cards", memory sizes of GPUs; "fits", the smallest card for each size and
/// context; and "predictions", the formulas' deviations from measured peaks. Adds none on a CPU or
/// if no measured peak confirms a formula, but always sets the fact `predicted`.
void add_what_fits(PartContent& part, const RunView& view,
                   const std::vector<MemoryProfile>& profiles);

/// Returns the formulas that the run's measured peaks confirm, also of steps with checkpoints and
/// of steps that share the optimizer's state among ranks; empty on a CPU.
MemoryEvidence memory_evidence(const RunView& view);

/// A step of labreport's network whose memory a run measured on one GPU.
struct MeasuredStep {
  const CellSpec* spec;
  std::optional<double> peak_bytes;  ///< Absent if the step ran out of memory.
};

/// Returns the steps on which `memory_evidence` rests, and those that ran out of memory.
std::vector<MeasuredStep> measured_steps(const Run& run);

}  // namespace labreport::memory_profiling
