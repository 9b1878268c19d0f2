// Tells which parts of a problem the user asked for.
#pragma once

#include <string_view>

#include "plan/planner.h"

namespace labreport {

/// True without `--only`, or if it names the problem or this part.
bool part_wanted(const PlanInput& input, std::string_view problem, std::string_view letter);

/// True without `--modes`, or if it names this mode.
bool mode_wanted(const PlanInput& input, Mode mode);

/// A cell of a kind that measures no network.
CellSpec bare_cell(DeviceKind device, CellKind kind);

/// A timing cell with the preset's numbers of steps. The caller sets context, precision and mode.
CellSpec timing_cell(const PlanInput& input, const Axes& axes, const Size& size);

/// The sizes to train on two ranks: the user's, else the handout's, else the preset's largest.
std::vector<Size> two_rank_sizes(const PlanInput& input, const Axes& axes);

/// A training step of two ranks: one GPU each over NCCL, or two CPU processes over Gloo. Each rank
/// takes half of the batch. The caller sets precision, context and the fields of `kind`.
CellSpec two_rank_cell(const PlanInput& input, const Axes& axes, const Size& size, CellKind kind);

}  // namespace labreport
