#include "experiments/common/selection.h"

#include <algorithm>
#include <string>

namespace labreport {
namespace {

Collectives collectives_of(DeviceKind device) {
  return device == DeviceKind::kCuda ? Collectives::kNccl : Collectives::kGloo;
}

/// Returns the bytes of the sweep's largest all-reduce. The full sweep ends at 1 GiB over NCCL.
/// Over Gloo, which takes seconds for it, the sweep ends at the handout's 1 GB.
std::int64_t largest_all_reduce_bytes(const PlanInput& input, DeviceKind device) {
  if (input.preset == Preset::kDemo) return 10'000'000;
  if (input.preset == Preset::kQuick) return 100'000'000;
  return device == DeviceKind::kCpu ? 1'000'000'000 : 1 << 30;
}

}  // namespace

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
  spec.ranks = Ranks{kRanks, collectives_of(input.device)};
  spec.batch = std::max<std::int64_t>(1, axes.batch / kRanks);
  return spec;
}

CellSpec all_reduce_cell(const PlanInput& input, DeviceKind device, std::int64_t ranks) {
  constexpr std::int64_t kWarmupCalls = 5;
  constexpr std::int64_t kTimedCalls = 20;
  CellSpec spec = bare_cell(device, CellKind::kAllReduce);
  spec.ranks = Ranks{ranks, collectives_of(device)};
  spec.largest_bytes = largest_all_reduce_bytes(input, device);
  spec.warmup = input.selection.warmup.value_or(kWarmupCalls);
  spec.steps = input.selection.steps.value_or(kTimedCalls);
  return spec;
}

}  // namespace labreport
