// A plan before anything runs: which cells, how long, how much memory.
#pragma once

#include <string>
#include <vector>

#include "orchestrate/device_choice.h"
#include "plan/planner.h"

namespace labreport {

struct PlanTotals {
  std::size_t cells = 0;
  bool foreseen = false;  ///< Results may leave some of them out, or add more.
  std::size_t launches = 0;
  double seconds = 0;           ///< With one worker on each device; 0 when not known.
  std::int64_t peak_bytes = 0;  ///< Of the cell that needs most, by arithmetic; 0 on the CPU.
  std::size_t beyond = 0;       ///< Cells that need more than the device has.
  double disk_bytes = 0;        ///< Of the run and its pages, roughly.
};

/// Throws `InputError` when the selection leaves nothing to measure.
std::vector<PlannedCell> checked_plan(const PlanInput& input, const Run& so_far);

/// What planners that double contexts or try lesser steps will have asked for at the end, if memory
/// is as arithmetic has it: `wanted` where nobody knows how much there is. A model of the user's is
/// taken to need what labreport's network of its shape does.
std::vector<PlannedCell> foreseen_plan(const PlanInput& input, std::vector<PlannedCell> wanted,
                                       const DeviceChoice& choice);

PlanTotals totals(const std::vector<PlannedCell>& cells, const DeviceChoice& choice);

/// "NVIDIA H200 · 2025 edition, full preset · 131 cells, about 9 min; needs up to 109.3 GiB of GPU
/// memory and 0.5 GiB of disk"; "about 92 cells" where they are foreseen.
std::string headline(const PlanInput& input, const DeviceChoice& choice, const PlanTotals& totals);

/// One line a cell, a head above and the sum below.
std::string plan_table(const std::vector<PlannedCell>& cells, const DeviceChoice& choice);

}  // namespace labreport
