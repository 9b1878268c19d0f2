// Tells which parts of a problem the user asked for.
#pragma once

#include <string_view>

#include "plan/planner.h"

namespace labreport {

/// True without `--only`, or if it names the problem or this part.
bool part_wanted(const PlanInput& input, std::string_view problem, std::string_view letter);

/// True without `--modes`, or if it names this mode.
bool mode_wanted(const PlanInput& input, Mode mode);

/// A cell of a kind that has no network.
CellSpec bare_cell(DeviceKind device, CellKind kind);

/// A timing cell of one network at the preset's step counts; context, precision and mode are left
/// to the caller.
CellSpec timing_cell(const PlanInput& input, const Axes& axes, const Size& size);

/// The sizes for problems that train on two ranks: the user's, else the handout's, else the
/// preset's largest.
std::vector<Size> two_rank_sizes(const PlanInput& input, const Axes& chosen);

/// A training step of two ranks, one GPU each over NCCL, or CPU processes over Gloo, each on half
/// of the batch; the caller sets precision, context and what its kind adds.
CellSpec two_rank_cell(const PlanInput& input, const Axes& chosen, const Size& size, CellKind kind);

}  // namespace labreport
