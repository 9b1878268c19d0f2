// Collects the cells of a plan that depends on the steps that fit.
#pragma once

#include <vector>

#include "experiments/common/contexts.h"
#include "plan/planner.h"

namespace labreport {

struct Planning {
  const PlanInput& input;
  const Run& so_far;
  Axes chosen;
  std::vector<PlannedCell> cells = {};

  bool of_2026() const { return input.edition.name == "2026"; }
  bool full() const { return input.preset == Preset::kFull; }

  /// Adds the step in that mode, if the user wants the mode.
  void add(CellSpec step, Mode mode);
  /// Adds the step at every context of the doubling.
  Doubling add_doubled(CellSpec step);
};

}  // namespace labreport
