#include "experiments/problems.h"

#include <array>

#include "experiments/common/selection.h"
#include "results/run_labels.h"

namespace labreport::benchmarking_script {
namespace {

// Counts the fresh processes whose first step is timed, among them the one with the timed steps.
constexpr std::int64_t kColdStarts = 3;
constexpr std::array<std::int64_t, 4> kSeparateWarmups{0, 1, 2, 5};

bool is_part_wanted(const PlanInput& input, std::string_view letter) {
  return part_wanted(input, "benchmarking_script", letter);
}

bool is_own_step(const PlanInput& input) {
  return input.selection.model && input.selection.model->step;
}

/// True if part (c) of the edition asks for first steps of the mode. A step of the user's has no
/// other mode.
bool is_warmup_mode(const PlanInput& input, Mode mode) {
  if (mode == Mode::kTrainStep) return input.edition.name == kEdition2026 || is_own_step(input);
  return mode == Mode::kForward || mode == Mode::kForwardBackward;
}

void add_mode(std::vector<PlannedCell>& cells, const PlanInput& input, const Axes& axes,
              const CellSpec& spec) {
  cells.push_back({spec, axes.launches});
  if (!is_warmup_mode(input, *spec.mode) || !is_part_wanted(input, "c")) return;
  if (input.preset == Preset::kFull) {
    // Processes that end after their first step show how much cold starts vary.
    CellSpec first_step = spec;
    first_step.warmup = 0;
    first_step.steps = 1;
    cells.push_back({first_step, kColdStarts - 1});
    if (spec.mode == Mode::kForwardBackward || is_own_step(input)) {
      // A profiled process shows where the first step's time goes.
      first_step.kind = CellKind::kKernels;
      first_step.steps = 0;
      cells.push_back({first_step, 1});
    }
  }
  if (!input.selection.separate_warmups) return;
  for (const std::int64_t warmup : kSeparateWarmups) {
    CellSpec window = spec;
    window.warmup = warmup;
    if (warmup != spec.warmup) cells.push_back({window, axes.launches});
  }
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  const Axes chosen = axes(input);
  // Parts (a) and (b) need all modes, part (c) only those that its edition shows.
  const bool all_modes = is_part_wanted(input, "a") || is_part_wanted(input, "b");
  std::vector<PlannedCell> cells;
  for (CellSpec& spec : timing_cells(input, chosen)) {
    for (const Mode mode : kModes) {
      spec.mode = mode;
      const bool needed = all_modes || is_warmup_mode(input, mode);
      if (needed && mode_wanted(input, mode)) add_mode(cells, input, chosen, spec);
    }
  }
  return cells;
}

}  // namespace labreport::benchmarking_script
