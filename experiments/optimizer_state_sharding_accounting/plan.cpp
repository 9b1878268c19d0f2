#include <array>

#include "experiments/problems.h"

#include "experiments/common/selection.h"

namespace labreport::optimizer_state_sharding_accounting {

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  constexpr std::array kCompared{Sharding::kNone, Sharding::kOptimizer};
  const Axes chosen = axes(input);
  std::vector<PlannedCell> cells;
  for (CellSpec& spec : rank_cells(input, chosen, CellKind::kSharding)) {
    for (const Sharding sharding : shardings(input, kCompared)) {
      spec.sharding = sharding;
      cells.push_back({spec, chosen.launches});
    }
  }
  return cells;
}

}  // namespace labreport::optimizer_state_sharding_accounting
