// Tells which parts and modes the user wants, and makes cells from which several problems start.
#pragma once

#include <string_view>

#include "plan/planner.h"

namespace labreport {

/// True without `--only`, or if it names the problem or this part.
bool part_wanted(const PlanInput& input, std::string_view problem, std::string_view letter);

/// True without `--modes`, or if it names this mode.
bool mode_wanted(const PlanInput& input, Mode mode);

/// Returns a cell of a kind that measures no network.
CellSpec bare_cell(DeviceKind device, CellKind kind);

/// Returns a timing cell with the batch and the numbers of steps in `axes`. The caller sets
/// context, precision and mode.
CellSpec timing_cell(const PlanInput& input, const Axes& axes, const Size& size);

/// Returns training steps of two ranks for each size, precision and context: two GPUs over NCCL, or
/// two CPU processes over Gloo. Each rank takes half of the batch. Sizes are those that the user
/// chose, else xl if the preset has it, else the preset's largest. Returns nothing for a model of
/// the user's, or if the user wants no training steps. The caller sets what `kind` needs besides.
std::vector<CellSpec> two_rank_steps(const PlanInput& input, CellKind kind,
                                     const std::vector<Precision>& precisions);

/// Returns a cell of all-reduces of every size: among GPUs over NCCL, or CPU processes over Gloo.
CellSpec all_reduce_cell(const PlanInput& input, DeviceKind device, std::int64_t ranks);

}  // namespace labreport
