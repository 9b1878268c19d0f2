// Tells which parts and modes the user wants, and makes cells from which several problems start.
#pragma once

#include <span>
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

/// Returns a timing cell for every precision, context and size in `axes`. The caller sets the mode.
std::vector<CellSpec> timing_cells(const PlanInput& input, const Axes& axes);

/// Returns the ranks that the user chose, else two: GPUs over NCCL, or CPU processes over Gloo.
Ranks ranks_of(const PlanInput& input);

/// Returns training steps of `ranks_of(input)`. Each rank takes its share of the batch. The sizes
/// are those that the user chose, else xl if the preset has it, else the preset's largest. The
/// caller sets what `kind` needs besides. There is no cell if the user left out training steps.
std::vector<CellSpec> rank_cells(const PlanInput& input, const Axes& axes, CellKind kind);

/// Returns those of `all` that are measured: all with labreport's network, the one that the user's
/// part is with such a part, and none with a network or a step of the user's.
std::vector<Sharding> shardings(const PlanInput& input, std::span<const Sharding> all);

/// Returns a cell of all-reduces of every size: among GPUs over NCCL, or CPU processes over Gloo.
CellSpec all_reduce_cell(const PlanInput& input, DeviceKind device, std::int64_t ranks);

/// True if the cell was skipped because the host has fewer GPUs than the cell has ranks. False if
/// it needs too much memory, and for null, which means that it was not planned before.
bool lacked_gpus(const Cell* cell);

}  // namespace labreport
