#include "experiments/common/selection.h"

#include <algorithm>
#include <string>

namespace labreport {

bool part_wanted(const PlanInput& input, std::string_view problem, std::string_view letter) {
  const auto& only = input.selection.only;
  const std::string part = std::string(problem) + "." + std::string(letter);
  return only.empty() || std::ranges::any_of(only, [&](const std::string& selector) {
           return selector == problem || selector == part;
         });
}

bool mode_wanted(const PlanInput& input, Mode mode) {
  const auto& modes = input.selection.modes;
  return modes.empty() || std::ranges::find(modes, mode) != modes.end();
}

CellSpec bare_cell(DeviceKind device, CellKind kind) {
  CellSpec spec;
  spec.kind = kind;
  spec.device = device;
  return spec;
}

CellSpec timing_cell(const PlanInput& input, const Axes& axes, const Size& size) {
  return {.kind = CellKind::kTiming,
          .device = input.device,
          .size = size.name,
          .implementation =
              input.selection.model ? input.selection.model->implementation : std::string(),
          .model = size.shape,
          .context = std::nullopt,
          .batch = axes.batch,
          .precision = std::nullopt,
          .mode = std::nullopt,
          .warmup = axes.warmup,
          .steps = axes.steps};
}

std::vector<Size> two_rank_sizes(const PlanInput& input, const Axes& axes) {
  if (!input.selection.sizes.empty()) return axes.sizes;
  const auto xl = std::ranges::find(axes.sizes, "xl", &Size::name);
  return {xl == axes.sizes.end() ? axes.sizes.back() : *xl};
}

CellSpec two_rank_cell(const PlanInput& input, const Axes& axes, const Size& size, CellKind kind) {
  constexpr std::int64_t kRanks = 2;
  CellSpec spec = timing_cell(input, axes, size);
  spec.kind = kind;
  spec.mode = Mode::kTrainStep;
  const bool gpus = input.device == DeviceKind::kCuda;
  spec.ranks = Ranks{kRanks, gpus ? Collectives::kNccl : Collectives::kGloo};
  spec.batch = std::max<std::int64_t>(1, axes.batch / kRanks);
  return spec;
}

}  // namespace labreport
