#include "experiments/problems.h"

#include <array>

#include "experiments/benchmarking_script/parts.h"
#include "experiments/common/selection.h"

namespace labreport::benchmarking_script {
namespace {

constexpr std::int64_t kFirstSteps = 3;  // includes the process that goes on to the timed steps
constexpr std::array<std::int64_t, 4> kSeparateWarmups{0, 1, 2, 5};

bool wanted(const PlanInput& input, std::string_view letter) {
  return part_wanted(input, "benchmarking_script", letter);
}

/// Part (c) shows the modes of its edition; the other parts need all of them.
bool mode_needed(const PlanInput& input, Mode mode) {
  if (!mode_wanted(input, mode)) return false;
  return wanted(input, "a") || wanted(input, "b") || is_warmup_mode(input.edition, mode);
}

/// Plans more fresh processes that take the first step only: they show how much cold starts vary.
PlannedCell first_step(CellSpec spec) {
  spec.warmup = 0;
  spec.steps = 1;
  return {spec, kFirstSteps - 1};
}

/// Plans one more process that is profiled, so that the report can say where the first step's time
/// goes.
PlannedCell profiled_first_step(CellSpec spec) {
  spec.kind = CellKind::kKernels;
  spec.warmup = 0;
  spec.steps = 0;
  return {spec, 1};
}

void add_mode(std::vector<PlannedCell>& cells, const PlanInput& input, const Axes& axes,
              const CellSpec& spec) {
  cells.push_back({spec, axes.launches});
  if (!is_warmup_mode(input.edition, *spec.mode) || !wanted(input, "c")) return;
  if (input.preset == Preset::kFull) {
    cells.push_back(first_step(spec));
    if (spec.mode == Mode::kForwardBackward) cells.push_back(profiled_first_step(spec));
  }
  if (!input.selection.separate_warmups) return;
  for (const std::int64_t warmup : kSeparateWarmups) {
    CellSpec apart = spec;
    apart.warmup = warmup;
    if (warmup != spec.warmup) cells.push_back({apart, axes.launches});
  }
}

}  // namespace

bool is_warmup_mode(const Edition& edition, Mode mode) {
  if (mode == Mode::kTrainStep) return edition.name == "2026";
  return mode == Mode::kForward || mode == Mode::kForwardBackward;
}

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  const Axes chosen = axes(input);
  std::vector<PlannedCell> cells;
  for (const Precision precision : chosen.precisions) {
    for (const std::int64_t context : chosen.contexts) {
      for (const Size& size : chosen.sizes) {
        CellSpec spec = timing_cell(input, chosen, size);
        spec.context = context;
        spec.precision = precision;
        for (const Mode mode : kModes) {
          spec.mode = mode;
          if (mode_needed(input, mode)) add_mode(cells, input, chosen, spec);
        }
      }
    }
  }
  return cells;
}

}  // namespace labreport::benchmarking_script
