// Helps to plan problems whose cells depend on which steps fit the memory.
#pragma once

#include <vector>

#include "experiments/common/contexts.h"
#include "plan/planner.h"
#include "results/run_labels.h"

namespace labreport {

struct Planning {
  const PlanInput& input;
  const Run& so_far;
  Axes axes;
  std::vector<PlannedCell> cells = {};

  bool is_2026() const { return input.edition.name == kEdition2026; }
  bool is_full() const { return input.preset == Preset::kFull; }

  /// Adds `step` in `mode`, unless the user left the mode out.
  void add(CellSpec step, Mode mode);
  /// Adds `step` at every context in `ContextSearch::contexts`.
  ContextSearch add_context_search(CellSpec step);
};

}  // namespace labreport
