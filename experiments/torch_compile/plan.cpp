#include "experiments/torch_compile/plan.h"

#include "experiments/common/selection.h"
#include "experiments/common/shipped.h"
#include "experiments/torch_compile/network.h"

namespace labreport::torch_compile {
namespace {

std::vector<Precision> precisions(const PlanInput& input) {
  if (!input.selection.precisions.empty()) return input.selection.precisions;
  if (input.preset == Preset::kDemo) return {Precision::kFp32};
  return {Precision::kFp32, input.half};
}

/// A CPU compiles a network for a minute, which a demonstration spends only on sizes that its user
/// names.
bool compiles(const PlanInput& input) {
  return input.device == DeviceKind::kCuda || !input.selection.sizes.empty();
}

std::vector<Size> sizes(const PlanInput& input) {
  std::vector<Size> sizes = compared_sizes(input);
  if (!compiles(input)) sizes.resize(1);
  return sizes;
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  std::vector<PlannedCell> cells;
  if (!mode_wanted(input, Mode::kTrainStep)) return cells;
  for (const Precision precision : precisions(input)) {
    for (const Size& size : sizes(input)) {
      for (const bool compiled : {false, true}) {
        if (compiled && !compiles(input)) continue;
        CellSpec spec = shipped_cell(input, axes(input), size, {.compiled = compiled});
        spec.precision = precision;
        cells.push_back({spec, 1});
      }
    }
  }
  return cells;
}

}  // namespace labreport::torch_compile
