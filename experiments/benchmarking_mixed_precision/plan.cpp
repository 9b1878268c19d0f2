#include "experiments/problems.h"

#include <ranges>

#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/common/selection.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

bool wanted(const PlanInput& input, std::string_view letter) {
  return part_wanted(input, kProblem, letter);
}

std::vector<Precision> compared(const PlanInput& input) {
  if (!input.selection.precisions.empty()) return input.selection.precisions;
  return {Precision::kFp32, input.half};
}

/// A step that crashed may run when the run is resumed; one without room will not.
bool found_no_room(const Run& so_far, const CellSpec& spec) {
  const Cell* cell = so_far.find(cell_id(spec));
  return cell != nullptr && !cell->launches.empty() && does_not_fit(cell->launches.back().outcome);
}

/// The fullest mode holds all phases; lesser ones are for where it does not fit.
void add_network(std::vector<PlannedCell>& cells, const PlanInput& input, const Run& so_far,
                 CellSpec spec, std::int64_t launches) {
  for (const Mode mode : kModes | std::views::reverse) {
    if (!mode_wanted(input, mode)) continue;
    spec.mode = mode;
    cells.push_back({spec, launches});
    if (!found_no_room(so_far, spec)) return;
  }
}

void add_networks(std::vector<PlannedCell>& cells, const PlanInput& input, const Run& so_far) {
  const Axes chosen = axes(input);
  for (const Precision precision : compared(input)) {
    for (const std::int64_t context : chosen.contexts) {
      for (const Size& size : chosen.sizes) {
        CellSpec spec = timing_cell(input, chosen, size);
        spec.context = context;
        spec.precision = precision;
        add_network(cells, input, so_far, spec, chosen.launches);
      }
    }
  }
}

/// Traces the dtypes of the user's model, at the first size.
void add_dtypes_of_model(std::vector<PlannedCell>& cells, const PlanInput& input) {
  const Axes chosen = axes(input);
  if (!input.selection.model || chosen.sizes.empty()) return;
  CellSpec spec = timing_cell(input, chosen, chosen.sizes.front());
  spec.kind = CellKind::kDtypes;
  spec.context = chosen.contexts.front();
  spec.warmup = spec.steps = std::nullopt;
  cells.push_back({spec, 1});
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  std::vector<PlannedCell> cells;
  if (wanted(input, "a") || wanted(input, "b")) {
    cells.push_back({bare_cell(input.device, CellKind::kDtypes), 1});
  }
  if (wanted(input, "a")) add_dtypes_of_model(cells, input);
  if (wanted(input, "b")) cells.push_back({bare_cell(input.device, CellKind::kLayerNorm), 1});
  if (wanted(input, "c")) add_networks(cells, input, so_far);
  return cells;
}

}  // namespace labreport::benchmarking_mixed_precision
