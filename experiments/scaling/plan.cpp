#include "experiments/problems.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "experiments/common/selection.h"

namespace labreport::scaling {
namespace {

constexpr std::array kGpus{2, 4, 8};

void append(std::vector<PlannedCell>& cells, std::vector<PlannedCell> more) {
  std::ranges::move(more, std::back_inserter(cells));
}

/// Returns the cells of `ranks` ranks with `batch` sequences each.
std::vector<PlannedCell> steps_of_ranks(const PlanInput& input, const CellSpec& alone,
                                        std::int64_t ranks, std::int64_t batch) {
  const bool is_own_step = input.selection.model && input.selection.model->step;
  const bool same_work = ranks * batch == *alone.batch;
  CellSpec spec = alone;
  spec.kind = CellKind::kDataParallel;
  spec.ranks = Ranks{ranks, ranks_of(input).collectives};
  spec.batch = batch;
  std::vector<PlannedCell> cells;
  const auto add_scheme = [&](Scheme scheme) {
    spec.scheme = scheme;
    cells.push_back({spec, 1});
  };
  if (is_own_step) {
    add_scheme(Scheme::kOwnStep);
    return cells;
  }
  if (same_work) add_scheme(Scheme::kNone);
  add_scheme(Scheme::kOverlapped);
  spec.kind = CellKind::kSharding;
  spec.scheme.reset();
  for (const Sharding sharding : shardings(input, std::array{Sharding::kWeights})) {
    spec.sharding = sharding;
    cells.push_back({spec, 1});
  }
  return cells;
}

/// Returns the cells of all batches for `ranks` ranks: the whole batch's share, then all of it.
std::vector<PlannedCell> cells_of_ranks(const PlanInput& input, const std::vector<CellSpec>& alone,
                                        std::int64_t ranks) {
  std::vector<PlannedCell> cells;
  for (const CellSpec& spec : alone) {
    const bool divides = *spec.batch % ranks == 0;
    if (divides) append(cells, steps_of_ranks(input, spec, ranks, *spec.batch / ranks));
    append(cells, steps_of_ranks(input, spec, ranks, *spec.batch));
  }
  return cells;
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  Axes chosen = axes(input);
  if (input.selection.precisions.empty())
    chosen.precisions = {Precision::kFp32, input.half_precision};
  std::vector<CellSpec> alone = rank_cells(input, chosen, CellKind::kTiming);
  std::vector<PlannedCell> cells;
  for (CellSpec& spec : alone) {
    spec.ranks.reset();
    spec.batch = chosen.batch;
    cells.push_back({spec, 1});
  }
  if (alone.empty()) return cells;
  const bool on_gpu = input.device == DeviceKind::kCuda;
  if (input.selection.ranks || !on_gpu) {
    append(cells, cells_of_ranks(input, alone, ranks_of(input).count));
    return cells;
  }
  for (const std::int64_t ranks : kGpus) {
    // The first cell finds out whether the host has as many GPUs.
    const std::vector<PlannedCell> more = cells_of_ranks(input, alone, ranks);
    const Cell* first = so_far.find(cell_id(more.front().spec));
    if (first == nullptr || lacked_gpus(first)) {
      cells.push_back(more.front());
      break;
    }
    append(cells, more);
  }
  return cells;
}

}  // namespace labreport::scaling
