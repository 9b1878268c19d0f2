#include "experiments/problems.h"

#include "experiments/common/selection.h"

namespace labreport::fsdp_accounting {
namespace {

std::vector<Precision> precisions(const PlanInput& input, const Axes& chosen) {
  if (!input.selection.precisions.empty()) return chosen.precisions;
  return {Precision::kFp32, input.half};
}

/// The savings of a sharded optimizer do not depend on the precision of matrix products.
bool wanted(const PlanInput& input, Precision precision, Sharding sharding) {
  return sharding != Sharding::kOptimizer || precision == Precision::kFp32 ||
         !input.selection.precisions.empty();
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  if (input.selection.model || !mode_wanted(input, Mode::kTrainStep)) return {};
  const Axes chosen = axes(input);
  std::vector<PlannedCell> cells;
  for (const Size& size : two_rank_sizes(input, chosen)) {
    for (const Precision precision : precisions(input, chosen)) {
      for (const std::int64_t context : chosen.contexts) {
        CellSpec spec = two_rank_cell(input, chosen, size, CellKind::kSharding);
        spec.precision = precision;
        spec.context = context;
        for (const Sharding sharding : kShardings) {
          spec.sharding = sharding;
          if (wanted(input, precision, sharding)) cells.push_back({spec, chosen.launches});
        }
      }
    }
  }
  return cells;
}

}  // namespace labreport::fsdp_accounting
