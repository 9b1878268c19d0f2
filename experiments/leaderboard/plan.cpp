#include <algorithm>
#include <array>

#include "analysis/measures.h"
#include "base/outliers.h"
#include "document/view.h"
#include "experiments/common/contexts.h"
#include "experiments/common/selection.h"
#include "experiments/common/timing.h"
#include "experiments/problems.h"
#include "plan/arithmetic.h"
#include "plan/leaderboard.h"
#include "results/leaderboard_rung.h"
#include "results/metric_names.h"

namespace labreport::leaderboard {
namespace {

constexpr std::int64_t kWarmup = 2, kSteps = 3;
// The rungs that a CPU offers within a demonstration's time; the others compile or need cuDNN.
constexpr std::size_t kRungsOfCpu = 4;
// Each number of layers is about 0.7 of the one before it.
constexpr std::array<std::int64_t, 10> kLayers{34, 24, 17, 12, 8, 6, 4, 3, 2, 1};
constexpr double kBenchNs = 30e9;  // The handout's `rep` of do_bench.
constexpr std::int64_t kRepeatsOfCpu = 3;

CellSpec step_cell(const PlanInput& input, std::int64_t ranks, std::int64_t layers) {
  const bool on_gpu = input.device == DeviceKind::kCuda;
  CellSpec spec;
  spec.kind = CellKind::kLeaderboard;
  spec.device = input.device;
  spec.size = on_gpu ? kSizeName : kTinySizeName;
  spec.model = on_gpu ? kShape : kTinyShape;
  if (on_gpu) spec.model->layers = layers;
  spec.context = on_gpu ? kContext : kTinyContext;
  spec.batch = input.selection.batch.value_or(kSequences / kHandoutRanks);
  spec.precision = Precision::kBf16;
  spec.mode = Mode::kTrainStep;
  spec.ranks = Ranks{ranks, ranks_of(input).collectives};
  spec.warmup = input.selection.warmup.value_or(kWarmup);
  spec.steps = input.selection.steps.value_or(kSteps);
  return spec;
}

CellSpec of_rung(CellSpec spec, LeaderboardRung rung) {
  spec.implementation = implementation_of(rung);
  return spec;
}

/// Returns the cell once more, with as many repeats as do_bench makes of its step: its warm-up of
/// 10 s and its repeats of 30 s hold a whole number of them.
CellSpec benched(CellSpec spec, double step_ns, bool on_gpu) {
  spec.repeats = on_gpu ? std::max<std::int64_t>(1, static_cast<std::int64_t>(kBenchNs / step_ns))
                        : kRepeatsOfCpu;
  return spec;
}

struct TimedStep {
  CellSpec spec;
  double ns = 0;
};

/// Returns the fastest of the cells; nothing unless all were measured and one of them ran.
std::optional<TimedStep> fastest_step(const Run& so_far, const std::vector<PlannedCell>& cells) {
  std::optional<TimedStep> fastest;
  for (const PlannedCell& planned : cells) {
    const Cell* cell = so_far.find(cell_id(planned.spec));
    if (cell == nullptr) return std::nullopt;
    const Launch* launch = ok_launch(*cell);
    if (launch == nullptr) continue;
    const std::vector<double> steps_ms =
        TimedLaunch{&cell->spec, launch}.ms_after_warmup(metric::kStep, metric::kTotal);
    const double ns = steps_ms.empty() ? 0 : 1e6 * typical_time(steps_ms);
    if (ns > 0 && (!fastest || ns < fastest->ns)) fastest = TimedStep{planned.spec, ns};
  }
  return fastest;
}

/// Returns the number of ranks: the handout's, or one if this host has one GPU.
std::int64_t rank_count(const PlanInput& input, const Run& so_far) {
  const std::int64_t ranks = ranks_of(input).count;
  if (input.selection.ranks) return ranks;
  const Cell* cell = so_far.find(
      cell_id(of_rung(step_cell(input, ranks, kLayers.front()), LeaderboardRung::kFusedHead)));
  return lacked_gpus(cell) ? 1 : ranks;
}

void add_rungs(std::vector<PlannedCell>& cells, const PlanInput& input, const Run& so_far,
               const CellSpec& step) {
  const bool on_gpu = input.device == DeviceKind::kCuda;
  const std::size_t count = on_gpu ? kLeaderboardRungs.size() : kRungsOfCpu;
  std::vector<PlannedCell> rungs;
  for (std::size_t i = 0; i < count; ++i) rungs.push_back({of_rung(step, kLeaderboardRungs[i])});
  const auto fastest = fastest_step(so_far, rungs);
  cells.insert(cells.end(), rungs.begin(), rungs.end());
  if (fastest) cells.push_back({benched(fastest->spec, fastest->ns, on_gpu)});
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  const auto& model = input.selection.model;
  if ((model && (!model->step || model->part)) || !mode_wanted(input, Mode::kTrainStep)) return {};
  const std::int64_t ranks = rank_count(input, so_far);
  std::vector<PlannedCell> cells;
  for (const std::int64_t layers : kLayers) {
    CellSpec step = step_cell(input, ranks, layers);
    if (model) {  // The user's step is measured at full depth, and tells by itself if it does not
                  // fit.
      step.implementation = model->implementation;
      cells.push_back({step});
      const auto own = fastest_step(so_far, cells);
      if (own) cells.push_back({benched(own->spec, own->ns, input.device == DeviceKind::kCuda)});
      return cells;
    }
    const CellSpec least = of_rung(step, LeaderboardRung::kFusedHead);
    if (did_not_fit(so_far, least)) {
      cells.push_back({least});
      continue;
    }
    if (so_far.find(cell_id(least)) == nullptr) {
      cells.push_back({least});
    } else {
      add_rungs(cells, input, so_far, step);
    }
    break;
  }
  return cells;
}

}  // namespace labreport::leaderboard
