#include "experiments/problems.h"

#include "experiments/common/selection.h"

namespace labreport::optimizer_state_sharding_accounting {

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  if (input.selection.model || !mode_wanted(input, Mode::kTrainStep)) return {};
  const Axes chosen = axes(input);
  std::vector<PlannedCell> cells;
  for (const Size& size : two_rank_sizes(input, chosen)) {
    for (const Precision precision : chosen.precisions) {
      for (const std::int64_t context : chosen.contexts) {
        CellSpec spec = two_rank_cell(input, chosen, size, CellKind::kSharding);
        spec.precision = precision;
        spec.context = context;
        for (const Sharding sharding : {Sharding::kNone, Sharding::kOptimizer}) {
          spec.sharding = sharding;
          cells.push_back({spec, chosen.launches});
        }
      }
    }
  }
  return cells;
}

}  // namespace labreport::optimizer_state_sharding_accounting
