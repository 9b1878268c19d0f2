#include "experiments/problems.h"

#include <algorithm>

#include "experiments/common/contexts.h"
#include "experiments/common/selection.h"

namespace labreport::gradient_checkpointing {
namespace {

constexpr const char* kSize = "xl";
constexpr std::int64_t kContext = 2048;
constexpr std::int64_t kWarmup = 1;
constexpr std::int64_t kSteps = 3;  // memory needs few steps, and these are long

/// The handout's size and, behind it, the smaller ones that stand in where it has no room.
std::vector<Size> candidates(std::vector<Size> sizes) {
  const auto own = std::ranges::find(sizes, kSize, &Size::name);
  if (own != sizes.end()) sizes.erase(own + 1, sizes.end());
  std::ranges::reverse(sizes);
  return sizes;
}

std::vector<std::int64_t> contexts(const PlanInput& input, const Axes& chosen) {
  const bool own = !input.selection.contexts.empty() || input.preset == Preset::kDemo;
  return own ? chosen.contexts : std::vector<std::int64_t>{kContext};
}

/// Leaves out a group of all blocks: it would hold what no checkpoint holds, and compute more.
std::vector<std::optional<std::int64_t>> groups(const PlanInput& input, std::int64_t layers) {
  const std::int64_t most = input.preset == Preset::kQuick ? 4 : layers;
  std::vector<std::optional<std::int64_t>> found{std::nullopt, 1};
  for (std::int64_t group = 2; group < layers && group <= most; group *= 2) found.push_back(group);
  return found;
}

CellSpec cell(const PlanInput& input, const Axes& chosen, const Size& size, Mode mode) {
  CellSpec spec = timing_cell(input, chosen, size);
  spec.kind = CellKind::kCheckpointing;
  spec.mode = mode;
  spec.warmup = input.selection.warmup.value_or(kWarmup);
  spec.steps = input.selection.steps.value_or(kSteps);
  return spec;
}

void add(std::vector<PlannedCell>& cells, const PlanInput& input, CellSpec spec) {
  for (const auto& group : groups(input, spec.model->layers)) {
    spec.group = group;
    cells.push_back({spec, 1});
  }
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  const auto mode = fullest_mode(input);
  const bool backward = mode && *mode >= Mode::kForwardBackward;
  if (input.selection.model || !backward) return {};
  const Axes chosen = axes(input);
  const bool own = !input.selection.sizes.empty();
  std::vector<PlannedCell> cells;
  for (const Size& size : own ? chosen.sizes : candidates(chosen.sizes)) {
    bool room = false;
    for (const Precision precision : chosen.precisions) {
      for (const std::int64_t context : contexts(input, chosen)) {
        CellSpec spec = cell(input, chosen, size, *mode);
        spec.precision = precision;
        spec.context = context;
        add(cells, input, spec);
        spec.group = 1;
        room = room || !without_room(so_far, spec);
      }
    }
    if (!own && room) break;
  }
  return cells;
}

}  // namespace labreport::gradient_checkpointing
