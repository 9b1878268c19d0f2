#include "experiments/problems.h"

#include <algorithm>

#include "experiments/common/contexts.h"
#include "experiments/common/selection.h"

namespace labreport::gradient_checkpointing {
namespace {

constexpr const char* kSize = "xl";
constexpr std::int64_t kContext = 2048;
constexpr std::int64_t kWarmup = 1;
constexpr std::int64_t kSteps = 3;  // few, because steps are long and peaks do not vary

/// The handout's size, then all smaller sizes in descending order, for devices without room.
std::vector<Size> candidates(std::vector<Size> sizes) {
  const auto handouts = std::ranges::find(sizes, kSize, &Size::name);
  if (handouts != sizes.end()) sizes.erase(handouts + 1, sizes.end());
  std::ranges::reverse(sizes);
  return sizes;
}

/// The numbers of blocks per checkpoint, none first. A group of all blocks is left out: it holds as
/// much as no checkpoints do and computes more.
std::vector<std::optional<std::int64_t>> groups(const PlanInput& input, std::int64_t layers) {
  const std::int64_t most = input.preset == Preset::kQuick ? 4 : layers;
  std::vector<std::optional<std::int64_t>> groups{std::nullopt, 1};
  for (std::int64_t group = 2; group < layers && group <= most; group *= 2) groups.push_back(group);
  return groups;
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  const auto mode = longest_wanted_mode(input);
  const bool backward = mode && *mode >= Mode::kForwardBackward;
  if (input.selection.model || !backward) return {};
  const Axes chosen = axes(input);
  const bool named_sizes = !input.selection.sizes.empty();
  const bool named_contexts = !input.selection.contexts.empty() || input.preset == Preset::kDemo;
  const auto contexts = named_contexts ? chosen.contexts : std::vector{kContext};
  std::vector<PlannedCell> cells;
  for (const Size& size : named_sizes ? chosen.sizes : candidates(chosen.sizes)) {
    bool room = false;
    for (const Precision precision : chosen.precisions) {
      for (const std::int64_t context : contexts) {
        CellSpec spec = timing_cell(input, chosen, size);
        spec.kind = CellKind::kCheckpointing;
        spec.mode = mode;
        spec.warmup = input.selection.warmup.value_or(kWarmup);
        spec.steps = input.selection.steps.value_or(kSteps);
        spec.precision = precision;
        spec.context = context;
        for (const auto& group : groups(input, size.shape.layers)) {
          spec.group = group;
          cells.push_back({spec, 1});
        }
        spec.group = 1;
        room = room || !did_not_fit(so_far, spec);
      }
    }
    if (!named_sizes && room) break;
  }
  return cells;
}

}  // namespace labreport::gradient_checkpointing
