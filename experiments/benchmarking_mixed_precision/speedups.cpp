// Part (c): FP32 against reduced precision for every size.
#include <algorithm>

#include "base/gpu.h"
#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/benchmarking_mixed_precision/speedup_facts.h"
#include "experiments/benchmarking_mixed_precision/speedup_tables.h"
#include "experiments/common/bounds_table.h"
#include "experiments/common/command.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

/// Networks in the precisions that were measured whole steps of.
std::vector<TimingGroup> compared_groups(const RunView& view) {
  std::vector<TimingGroup> groups = timing_groups(view);
  std::erase_if(groups, [](const TimingGroup& group) { return !group.spec.precision; });
  std::ranges::stable_sort(groups, {}, [](const TimingGroup& group) {
    return parameter_count(group.spec.model.value_or(ModelShape{}));
  });
  return groups;
}

/// The fullest cell of each network.
std::vector<NamedCell> named_cells(const std::vector<TimingGroup>& groups) {
  std::vector<NamedCell> cells;
  for (const TimingGroup& group : groups) {
    const auto& [mode, cell] = *std::prev(group.cells.end());  // Modes are ordered by content.
    cells.push_back({group.label + ", " + std::string(describe(mode)), cell});
  }
  return cells;
}

bool has_bf16(const RunView& view) {
  const Device* device = view.device();
  return device == nullptr || computes_in_bf16(device->compute_capability);
}

constexpr std::size_t kLabels = 2;  // Size and precision.

bool any_ratio(const Speedup& row) { return row.forward || row.backward; }

}  // namespace

std::optional<PartContent> present_speedups(const RunView& view) {
  const std::vector<TimingGroup> groups = compared_groups(view);
  const std::vector<Speedup> rows = speedups(view);
  // Without a second precision the benchmarking problem has shown these networks already.
  if (rows.empty()) return std::nullopt;
  PartContent part;
  part.facts = speedup_facts(rows, has_bf16(view));
  part.facts.flag("gpu", view.on_gpu());
  part.cells = cells_of(groups);
  part.tables = {times_table(groups)};
  if (std::ranges::any_of(rows, any_ratio)) {
    part.figures = {times_figure(rows), speedup_figure(rows)};
    part.tables.push_back(speedups_table(rows));
    drop_empty_columns(part.tables.back(), kLabels);
  }
  part.tables.push_back(bounds_table(view, groups, Mode::kTrainStep));
  part.drawer.tables = {
      commands_table(view.run(), kProblem + std::string(".c"), named_cells(groups))};
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
