// What a planner of networks has in hand for one cell after the other.
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

  /// The step in that mode, where the user wants it.
  void add(CellSpec step, Mode mode);
  /// The step at every context of the doubling.
  Doubling add_doubled(CellSpec step);
};

}  // namespace labreport
