// Shows a plan before anything runs: its cells, and the time and memory that they need.
#pragma once

#include <string>
#include <vector>

#include "orchestrate/device_choice.h"
#include "plan/planner.h"

namespace labreport {

struct PlanTotals {
  std::size_t cells = 0;
  bool is_foreseen = false;  ///< True if results may remove cells or add more.
  std::size_t launches = 0;
  double seconds = 0;           ///< Estimated time with one worker on each device; 0 if unknown.
  std::int64_t peak_bytes = 0;  ///< Calculated peak of the largest cell; 0 on the CPU.
  std::size_t oversized_cells = 0;  ///< Cells whose calculated peak exceeds the device's memory.
  double disk_bytes = 0;            ///< A rough size of the run and its pages.
};

/// Returns the planned cells. Throws `InputError` if the selection leaves none, or too many for a
/// run.
std::vector<PlannedCell> checked_plan(const PlanInput& input, const Run& so_far);

/// Returns one line on the chosen problems that the user's network or step leaves out, and one on
/// those that measure labreport's code instead of it.
std::vector<std::string> problems_without_code(const PlanInput& input);

/// Returns the cells that will be planned at the end, because results of some cells decide which
/// others are planned. Assumes that each cell needs its calculated memory, and that a user's model
/// needs as much as labreport's network of the same shape. Returns `wanted` if the device's memory
/// is unknown.
std::vector<PlannedCell> foreseen_plan(const PlanInput& input, std::vector<PlannedCell> wanted,
                                       const DeviceChoice& choice);

PlanTotals totals(const std::vector<PlannedCell>& cells, const DeviceChoice& choice);

/// Returns "NVIDIA H200 · 2025 edition, full preset · 131 cells, about 9 min; needs up to 109.3 GiB
/// of GPU memory and 0.5 GiB of disk"; "about 92 cells" if they are foreseen.
std::string headline(const PlanInput& input, const DeviceChoice& choice, const PlanTotals& totals);

/// Returns one line for each cell, with column heads above and totals below.
std::string plan_table(const std::vector<PlannedCell>& cells, const DeviceChoice& choice);

}  // namespace labreport
