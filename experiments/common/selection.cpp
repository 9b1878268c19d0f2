#include "experiments/common/selection.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <variant>

#include "plan/arithmetic.h"

namespace labreport {
namespace {

Collectives collectives_of(DeviceKind device) {
  return device == DeviceKind::kCuda ? Collectives::kNccl : Collectives::kGloo;
}

/// Returns the bytes of the sweep's largest all-reduce. The full sweep ends at 1 GiB over NCCL.
/// Over Gloo, which takes seconds for it, the sweep ends at the handout's 1 GB.
std::int64_t largest_all_reduce_bytes(const PlanInput& input, DeviceKind device) {
  if (input.preset == Preset::kDemo) return 10'000'000;
  if (input.preset == Preset::kQuick) return 100'000'000;
  return device == DeviceKind::kCpu ? 1'000'000'000 : 1 << 30;
}

std::vector<Size> rank_sizes(const PlanInput& input, const Axes& axes) {
  if (!input.selection.sizes.empty()) return axes.sizes;
  const auto xl = std::ranges::find(axes.sizes, "xl", &Size::name);
  return {xl == axes.sizes.end() ? axes.sizes.back() : *xl};
}

}  // namespace

bool part_wanted(const PlanInput& input, std::string_view problem, std::string_view letter) {
  const auto& only = input.selection.only;
  const std::string part = std::string(problem) + "." + std::string(letter);
  return only.empty() || std::ranges::any_of(only, [&](const std::string& selector) {
           return selector == problem || selector == part;
         });
}

bool mode_wanted(const PlanInput& input, Mode mode) {
  const auto& modes = input.selection.modes;
  return modes.empty() || std::ranges::find(modes, mode) != modes.end();
}

CellSpec bare_cell(DeviceKind device, CellKind kind) {
  CellSpec spec;
  spec.kind = kind;
  spec.device = device;
  return spec;
}

CellSpec timing_cell(const PlanInput& input, const Axes& axes, const Size& size) {
  return {.kind = CellKind::kTiming,
          .device = input.device,
          .size = size.name,
          .implementation =
              input.selection.model ? input.selection.model->implementation : std::string(),
          .model = size.shape,
          .context = std::nullopt,
          .batch = axes.batch,
          .precision = std::nullopt,
          .mode = std::nullopt,
          .warmup = axes.warmup,
          .steps = axes.steps};
}

std::vector<CellSpec> timing_cells(const PlanInput& input, const Axes& axes) {
  std::vector<CellSpec> cells;
  for (const Precision precision : axes.precisions) {
    for (const std::int64_t context : axes.contexts) {
      for (const Size& size : axes.sizes) {
        CellSpec& spec = cells.emplace_back(timing_cell(input, axes, size));
        spec.context = context;
        spec.precision = precision;
      }
    }
  }
  return cells;
}

Ranks ranks_of(const PlanInput& input) {
  return {input.selection.ranks.value_or(2), collectives_of(input.device)};
}

std::vector<CellSpec> rank_cells(const PlanInput& input, const Axes& axes, CellKind kind) {
  if (!mode_wanted(input, Mode::kTrainStep)) return {};
  const Ranks ranks = ranks_of(input);
  std::vector<CellSpec> cells;
  for (const Size& size : rank_sizes(input, axes)) {
    Axes of_size = axes;
    of_size.sizes = {size};
    of_size.batch = std::max<std::int64_t>(1, axes.batch / ranks.count);
    std::ranges::move(timing_cells(input, of_size), std::back_inserter(cells));
  }
  for (CellSpec& spec : cells) {
    spec.kind = kind;
    spec.mode = Mode::kTrainStep;
    spec.ranks = ranks;
  }
  return cells;
}

std::vector<Sharding> shardings(const PlanInput& input, std::span<const Sharding> all) {
  std::vector<Sharding> chosen(all.begin(), all.end());
  const auto& model = input.selection.model;
  if (!model) return chosen;
  std::erase_if(chosen, [&](Sharding sharding) {
    return (sharding != Sharding::kOptimizer || model->part != "sharded_optimizer") &&
           (sharding != Sharding::kWeights || model->part != "fsdp");
  });
  return chosen;
}

CellSpec all_reduce_cell(const PlanInput& input, DeviceKind device, std::int64_t ranks) {
  constexpr std::int64_t kWarmupCalls = 5;
  constexpr std::int64_t kTimedCalls = 20;
  CellSpec spec = bare_cell(device, CellKind::kAllReduce);
  spec.ranks = Ranks{ranks, collectives_of(device)};
  spec.largest_bytes = largest_all_reduce_bytes(input, device);
  spec.warmup = input.selection.warmup.value_or(kWarmupCalls);
  spec.steps = input.selection.steps.value_or(kTimedCalls);
  return spec;
}

bool lacked_gpus(const Cell* cell) {
  if (cell == nullptr || cell->launches.empty()) return false;
  const Outcome& outcome = cell->launches.front().outcome;
  return std::holds_alternative<Skipped>(outcome) && !is_skipped_as_too_large(outcome);
}

}  // namespace labreport
