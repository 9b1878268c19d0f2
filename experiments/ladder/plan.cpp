#include "experiments/problems.h"

#include <algorithm>
#include <ranges>

#include "experiments/common/contexts.h"
#include "experiments/common/selection.h"
#include "experiments/common/shipped.h"

namespace labreport::ladder {
namespace {

using RungSetting = std::pair<Variant, Precision>;

// The larger size needs few steps, because its steps are long and vary little.
constexpr std::int64_t kFewWarmups = 3;
constexpr std::int64_t kFewSteps = 5;

std::vector<RungSetting> rung_settings(const PlanInput& input, Precision precision) {
  std::vector<RungSetting> settings;
  for (const Variant variant : kVariants) settings.emplace_back(variant, precision);
  // A GPU without BF16 has no TF32 either.
  const bool tf32 = input.device == DeviceKind::kCuda && input.half_precision == Precision::kBf16;
  if (precision != Precision::kFp32 || !tf32) return settings;
  settings.back() = {Variant::kFusedAdamW, Precision::kTf32};
  settings.emplace_back(Variant::kCudaGraph, Precision::kTf32);
  return settings;
}

std::vector<Precision> ladder_precisions(const PlanInput& input) {
  std::vector<Precision> precisions{input.half_precision, Precision::kFp32};
  const auto& chosen = input.selection.precisions;
  if (chosen.empty()) return precisions;
  const auto is_chosen = [&](Precision p) { return std::ranges::find(chosen, p) != chosen.end(); };
  // The FP32 ladder ends in TF32, so it stays for either.
  std::erase_if(precisions, [&](Precision p) {
    return !is_chosen(p) && !(p == Precision::kFp32 && is_chosen(Precision::kTf32));
  });
  return precisions;
}

CellSpec rung_cell(const PlanInput& input, const Axes& chosen, const Size& size, bool is_large,
                   const RungSetting& setting) {
  CellSpec spec = timing_cell(input, chosen, size);
  spec.kind = CellKind::kLadder;
  spec.context = chosen.contexts.front();
  spec.mode = Mode::kTrainStep;
  std::tie(spec.variant, spec.precision) = setting;
  if (is_large && !input.selection.warmup) spec.warmup = std::min(*spec.warmup, kFewWarmups);
  if (is_large && !input.selection.steps) spec.steps = std::min(*spec.steps, kFewSteps);
  return spec;
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  std::vector<PlannedCell> cells;
  const Axes chosen = axes(input);
  if (input.selection.model || chosen.sizes.empty() || !mode_wanted(input, Mode::kTrainStep)) {
    return cells;
  }
  const auto add = [&](const Size& size, bool is_large, Precision precision) {
    for (const RungSetting& setting : rung_settings(input, precision)) {
      cells.push_back({rung_cell(input, chosen, size, is_large, setting), 1});
    }
    if (input.device != DeviceKind::kCuda) return;
    CellSpec compiled_rung = cells.back().spec;  // In Python torch.compile compiles the last rung.
    compiled_rung.variant.reset();
    compiled_rung.implementation = implementation_of(kFastest);
    cells.push_back({compiled_rung, 1});
  };
  for (const Precision precision : ladder_precisions(input)) {
    add(chosen.sizes.front(), false, precision);
    for (const Size& size : chosen.sizes | std::views::drop(1) | std::views::reverse) {
      const CellSpec first_rung =
          rung_cell(input, chosen, size, true, rung_settings(input, precision).front());
      cells.push_back({first_rung, 1});
      if (did_not_fit(so_far, first_rung)) continue;
      if (so_far.find(cell_id(first_rung)) != nullptr) add(size, true, precision);
      break;
    }
  }
  return cells;
}

}  // namespace labreport::ladder
