#include "experiments/common/shipped.h"

#include "experiments/common/selection.h"

namespace labreport {
namespace {

constexpr std::int64_t kMostParameters = 4'000'000'000;

}  // namespace

CellSpec shipped_cell(const PlanInput& input, const Axes& axes, const Size& size,
                      const ShippedVariant& variant) {
  CellSpec spec = timing_cell(input, axes, size);
  spec.kind = CellKind::kKernels;
  spec.implementation = implementation_of(variant);
  spec.context = axes.contexts.front();
  spec.mode = Mode::kTrainStep;
  return spec;
}

std::vector<Size> compared_sizes(const PlanInput& input) {
  std::vector<Size> sizes = axes(input).sizes;
  if (!input.selection.sizes.empty()) return sizes;
  std::erase_if(sizes,
                [](const Size& size) { return parameter_count(size.shape) > kMostParameters; });
  return sizes;
}

}  // namespace labreport
