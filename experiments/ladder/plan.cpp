#include "experiments/problems.h"

#include <algorithm>
#include <ranges>

#include "experiments/common/contexts.h"
#include "experiments/common/selection.h"
#include "experiments/common/shipped.h"

namespace labreport::ladder {
namespace {

using Step = std::pair<Variant, Precision>;

// For the larger size, whose steps are long and vary little.
constexpr std::int64_t kFewWarmups = 3;
constexpr std::int64_t kFewSteps = 5;

std::vector<Step> rungs(const PlanInput& input, Precision precision) {
  std::vector<Step> steps;
  for (const Variant variant : kVariants) steps.emplace_back(variant, precision);
  // GPUs without BF16 tensor cores have no TF32 either.
  const bool tf32 = input.device == DeviceKind::kCuda && input.half == Precision::kBf16;
  if (precision != Precision::kFp32 || !tf32) return steps;
  steps.back() = {Variant::kFusedAdamW, Precision::kTf32};
  steps.emplace_back(Variant::kCudaGraph, Precision::kTf32);
  return steps;
}

/// Turns a ladder's cell into its last rung, which torch.compile compiles in Python.
CellSpec compiled(CellSpec spec) {
  spec.variant.reset();
  spec.implementation = implementation_of(kFastest);
  return spec;
}

std::vector<Precision> precisions(const PlanInput& input) {
  std::vector<Precision> ladders{input.half, Precision::kFp32};
  const auto& chosen = input.selection.precisions;
  if (chosen.empty()) return ladders;
  const auto named = [&](Precision p) { return std::ranges::find(chosen, p) != chosen.end(); };
  std::erase_if(ladders, [&](Precision p) {
    return !named(p) && !(p == Precision::kFp32 && named(Precision::kTf32));  // it ends in TF32
  });
  return ladders;
}

CellSpec cell(const PlanInput& input, const Axes& chosen, const Size& size, bool large,
              const Step& step) {
  CellSpec spec = timing_cell(input, chosen, size);
  spec.kind = CellKind::kLadder;
  spec.context = chosen.contexts.front();
  spec.mode = Mode::kTrainStep;
  std::tie(spec.variant, spec.precision) = step;
  if (large && !input.selection.warmup) spec.warmup = std::min(*spec.warmup, kFewWarmups);
  if (large && !input.selection.steps) spec.steps = std::min(*spec.steps, kFewSteps);
  return spec;
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  std::vector<PlannedCell> cells;
  const Axes chosen = axes(input);
  if (input.selection.model || chosen.sizes.empty() || !mode_wanted(input, Mode::kTrainStep)) {
    return cells;
  }
  const auto add = [&](const Size& size, bool large, Precision precision) {
    for (const Step& step : rungs(input, precision)) {
      cells.push_back({cell(input, chosen, size, large, step), 1});
    }
    if (input.device == DeviceKind::kCuda) cells.push_back({compiled(cells.back().spec), 1});
  };
  for (const Precision precision : precisions(input)) {
    add(chosen.sizes.front(), false, precision);
    for (const Size& size : chosen.sizes | std::views::drop(1) | std::views::reverse) {
      const CellSpec first = cell(input, chosen, size, true, rungs(input, precision).front());
      cells.push_back({first, 1});
      if (did_not_fit(so_far, first)) continue;
      if (so_far.find(cell_id(first)) != nullptr) add(size, true, precision);
      break;
    }
  }
  return cells;
}

}  // namespace labreport::ladder
