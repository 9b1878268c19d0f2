#include "experiments/problems.h"

#include <ranges>

#include "experiments/benchmarking_mixed_precision/presenters.h"
#include "experiments/common/selection.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

bool is_part_wanted(const PlanInput& input, std::string_view letter) {
  return part_wanted(input, kProblem, letter);
}

/// Adds the longest mode and, if that has run out of memory, the next shorter one, and so on.
void add_network(std::vector<PlannedCell>& cells, const PlanInput& input, const Run& so_far,
                 CellSpec spec, std::int64_t launches) {
  for (const Mode mode : kModes | std::views::reverse) {
    if (!mode_wanted(input, mode)) continue;
    spec.mode = mode;
    cells.push_back({spec, launches});
    // A step that crashed may succeed when the run is resumed, but one without room will not.
    const Cell* cell = so_far.find(cell_id(spec));
    if (cell == nullptr || cell->launches.empty()) return;
    if (!does_not_fit(cell->launches.back().outcome)) return;
  }
}

void add_networks(std::vector<PlannedCell>& cells, const PlanInput& input, const Run& so_far) {
  Axes chosen = axes(input);
  if (input.selection.precisions.empty())
    chosen.precisions = {Precision::kFp32, input.half_precision};
  for (const CellSpec& spec : timing_cells(input, chosen)) {
    add_network(cells, input, so_far, spec, chosen.launches);
  }
}

/// Adds a cell that traces the dtypes of the user's model at the first size, if there is a model.
void add_dtypes_of_users_model(std::vector<PlannedCell>& cells, const PlanInput& input) {
  const Axes chosen = axes(input);
  const auto& model = input.selection.model;
  if (!model || model->step || chosen.sizes.empty()) return;
  CellSpec spec = timing_cell(input, chosen, chosen.sizes.front());
  spec.kind = CellKind::kDtypes;
  spec.context = chosen.contexts.front();
  spec.warmup = spec.steps = std::nullopt;
  cells.push_back({spec, 1});
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  std::vector<PlannedCell> cells;
  if (is_part_wanted(input, "a") || is_part_wanted(input, "b")) {
    cells.push_back({bare_cell(input.device, CellKind::kDtypes), 1});
  }
  if (is_part_wanted(input, "a")) add_dtypes_of_users_model(cells, input);
  if (is_part_wanted(input, "b"))
    cells.push_back({bare_cell(input.device, CellKind::kLayerNorm), 1});
  if (is_part_wanted(input, "c")) add_networks(cells, input, so_far);
  return cells;
}

}  // namespace labreport::benchmarking_mixed_precision
