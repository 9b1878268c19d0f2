#include "experiments/problems.h"

#include "experiments/common/selection.h"

namespace labreport::fsdp_accounting {
std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  Axes chosen = axes(input);
  const bool user_chose = !input.selection.precisions.empty();
  if (!user_chose) chosen.precisions = {Precision::kFp32, input.half_precision};
  std::vector<PlannedCell> cells;
  for (CellSpec& spec : rank_cells(input, chosen, CellKind::kSharding)) {
    for (const Sharding sharding : shardings(input, kShardings)) {
      spec.sharding = sharding;
      // A sharded optimizer saves the same bytes in any precision, so FP32 is enough.
      const bool needless = sharding == Sharding::kOptimizer && spec.precision != Precision::kFp32;
      if (user_chose || !needless) cells.push_back({spec, chosen.launches});
    }
  }
  return cells;
}

}  // namespace labreport::fsdp_accounting
