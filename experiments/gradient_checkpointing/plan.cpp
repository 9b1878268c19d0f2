#include "experiments/problems.h"

#include <algorithm>

#include "experiments/common/contexts.h"
#include "experiments/common/selection.h"

namespace labreport::gradient_checkpointing {
namespace {

constexpr const char* kSize = "xl";
constexpr std::int64_t kContext = 2048;
constexpr std::int64_t kWarmup = 1;
constexpr std::int64_t kSteps = 3;  // Few suffice: steps are long, and peaks do not vary.

/// Returns the handout's size and, for devices on which it does not fit, the smaller ones in turn.
std::vector<Size> candidate_sizes(std::vector<Size> sizes) {
  const auto handout_size = std::ranges::find(sizes, kSize, &Size::name);
  if (handout_size != sizes.end()) sizes.erase(handout_size + 1, sizes.end());
  std::ranges::reverse(sizes);
  return sizes;
}

/// Returns the numbers of blocks per checkpoint; the first, empty, means no checkpoints. Leaves out
/// a group of all blocks, which holds as much as no checkpoints do and computes more.
std::vector<std::optional<std::int64_t>> group_sizes(const PlanInput& input, std::int64_t layers) {
  const std::int64_t largest_group = input.preset == Preset::kQuick ? 4 : layers;
  std::vector<std::optional<std::int64_t>> groups{std::nullopt, 1};
  for (std::int64_t group = 2; group < layers && group <= largest_group; group *= 2)
    groups.push_back(group);
  return groups;
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  const auto mode = last_wanted_mode(input);
  const bool has_backward = mode && *mode >= Mode::kForwardBackward;
  if (input.selection.model || !has_backward) return {};
  Axes chosen = axes(input);
  chosen.warmup = input.selection.warmup.value_or(kWarmup);
  chosen.steps = input.selection.steps.value_or(kSteps);
  const bool contexts_are_chosen =
      !input.selection.contexts.empty() || input.preset == Preset::kDemo;
  if (!contexts_are_chosen) chosen.contexts = {kContext};
  const bool sizes_by_user = !input.selection.sizes.empty();
  std::vector<PlannedCell> cells;
  for (const Size& size : sizes_by_user ? chosen.sizes : candidate_sizes(chosen.sizes)) {
    bool may_fit = false;
    Axes of_size = chosen;
    of_size.sizes = {size};
    for (CellSpec& spec : timing_cells(input, of_size)) {
      spec.kind = CellKind::kCheckpointing;
      spec.mode = mode;
      for (const auto& group : group_sizes(input, size.shape.layers)) {
        spec.blocks_per_checkpoint = group;
        cells.push_back({spec, 1});
      }
      spec.blocks_per_checkpoint = 1;  // Single blocks need the least memory.
      may_fit = may_fit || !did_not_fit(so_far, spec);
    }
    if (!sizes_by_user && may_fit) break;
  }
  return cells;
}

}  // namespace labreport::gradient_checkpointing
