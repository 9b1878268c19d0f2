// Shows a plan before anything runs: which cells, how long, how much memory.
#pragma once

#include <string>
#include <vector>

#include "orchestrate/device_choice.h"
#include "plan/planner.h"

namespace labreport {

struct PlanTotals {
  std::size_t cells = 0;
  bool foreseen = false;  ///< True if results may remove cells or add more.
  std::size_t launches = 0;
  double seconds = 0;           ///< Assumes one worker on each device; 0 if unknown.
  std::int64_t peak_bytes = 0;  ///< Calculated peak of the largest cell; 0 on the CPU.
  std::size_t beyond = 0;       ///< Cells that need more than the device has.
  double disk_bytes = 0;        ///< A rough size of the run and its pages.
};

/// Throws `InputError` if the selection leaves nothing to measure.
std::vector<PlannedCell> checked_plan(const PlanInput& input, const Run& so_far);

/// Returns the cells that will have been planned at the end, if memory is as calculated: some are
/// planned by the results of others. Returns `wanted` if the device's memory is unknown. A user's
/// model is assumed to need as much as labreport's network of its shape.
std::vector<PlannedCell> foreseen_plan(const PlanInput& input, std::vector<PlannedCell> wanted,
                                       const DeviceChoice& choice);

PlanTotals totals(const std::vector<PlannedCell>& cells, const DeviceChoice& choice);

/// "NVIDIA H200 · 2025 edition, full preset · 131 cells, about 9 min; needs up to 109.3 GiB of GPU
/// memory and 0.5 GiB of disk"; "about 92 cells" if they are foreseen.
std::string headline(const PlanInput& input, const DeviceChoice& choice, const PlanTotals& totals);

/// Returns one line a cell, with a head above and the sum below.
std::string plan_table(const std::vector<PlannedCell>& cells, const DeviceChoice& choice);

}  // namespace labreport
