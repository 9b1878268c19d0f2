#include "experiments/optimizer_state_sharding_accounting/plan.h"

#include <algorithm>

#include "experiments/common/selection.h"

namespace labreport::optimizer_state_sharding_accounting {
namespace {

constexpr const char* kSize = "xl";
constexpr std::int64_t kRanks = 2;

}  // namespace

std::vector<Size> sharded_sizes(const PlanInput& input, const Axes& chosen) {
  if (!input.selection.sizes.empty()) return chosen.sizes;
  const auto own = std::ranges::find(chosen.sizes, kSize, &Size::name);
  return {own == chosen.sizes.end() ? chosen.sizes.back() : *own};
}

CellSpec sharded_cell(const PlanInput& input, const Axes& chosen, const Size& size) {
  CellSpec spec = timing_cell(input, chosen, size);
  spec.kind = CellKind::kSharding;
  spec.mode = Mode::kTrainStep;
  const bool gpus = input.device == DeviceKind::kCuda;
  spec.ranks = Ranks{kRanks, gpus ? Collectives::kNccl : Collectives::kGloo};
  spec.batch = std::max<std::int64_t>(1, chosen.batch / kRanks);
  return spec;
}

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  if (input.selection.model || !mode_wanted(input, Mode::kTrainStep)) return {};
  const Axes chosen = axes(input);
  std::vector<PlannedCell> cells;
  for (const Size& size : sharded_sizes(input, chosen)) {
    for (const Precision precision : chosen.precisions) {
      for (const std::int64_t context : chosen.contexts) {
        CellSpec spec = sharded_cell(input, chosen, size);
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
