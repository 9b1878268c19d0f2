#include "experiments/problems.h"

#include "experiments/common/attention.h"
#include "experiments/common/selection.h"
#include "experiments/common/shipped.h"
#include "experiments/torch_compile/present.h"

namespace labreport::torch_compile {
namespace {

constexpr std::int64_t kWarmupPasses = 10;
constexpr std::int64_t kTimedPasses = 100;  // The handout asks for as many.

std::vector<Precision> network_precisions(const PlanInput& input) {
  if (!input.selection.precisions.empty()) return input.selection.precisions;
  if (input.preset == Preset::kDemo) return {Precision::kFp32};
  return {Precision::kFp32, input.half_precision};
}

/// True if compiled cells are planned. Compiling takes a minute on a CPU, so there the user has to
/// name sizes or contexts.
bool plans_compiled_cells(const PlanInput& input) {
  return input.device == DeviceKind::kCuda || !input.selection.sizes.empty() ||
         !input.selection.contexts.empty();
}

void add_attention(std::vector<PlannedCell>& cells, const PlanInput& input, Precision precision) {
  const bool demo = input.preset == Preset::kDemo;
  std::vector<std::int64_t> lengths{256, 1024, 4096, 8192, 16384};  // the handout's
  std::vector<std::int64_t> head_dims = attention_head_dims(input);
  if (demo) {
    lengths = {64, 128};
    head_dims.resize(1);
  }
  for (const std::int64_t head_dim : head_dims) {
    for (const bool compiled : {false, true}) {
      if (compiled && !plans_compiled_cells(input)) continue;
      CellSpec spec = attention_cell(
          input, {AttentionMethod::kSynced, AttentionBackend::kEager, head_dim, 1, lengths});
      spec.implementation = implementation_of({.compiled = compiled});
      spec.precision = precision;
      spec.batch = input.selection.batch.value_or(demo ? 2 : 8);
      spec.warmup = input.selection.warmup.value_or(demo ? 2 : kWarmupPasses);
      spec.steps = input.selection.steps.value_or(demo ? 5 : kTimedPasses);
      cells.push_back({spec, 1});
    }
  }
}

void add_networks(std::vector<PlannedCell>& cells, const PlanInput& input, Precision precision) {
  std::vector<Size> sizes = compared_sizes(input);
  if (!plans_compiled_cells(input)) sizes.resize(1);
  for (const Size& size : sizes) {
    for (const bool compiled : {false, true}) {
      if (compiled && !plans_compiled_cells(input)) continue;
      CellSpec spec = shipped_cell(input, axes(input), size, {.compiled = compiled});
      spec.precision = precision;
      cells.push_back({spec, 1});
    }
  }
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  std::vector<PlannedCell> cells;
  if (part_wanted(input, kProblem, "a")) {
    // If the user names no precisions, attention runs in FP32 alone, as in the handout.
    const auto& precisions = input.selection.precisions;
    for (const Precision precision :
         precisions.empty() ? std::vector{Precision::kFp32} : precisions) {
      add_attention(cells, input, precision);
    }
  }
  if (part_wanted(input, kProblem, "b") && mode_wanted(input, Mode::kTrainStep)) {
    for (const Precision precision : network_precisions(input))
      add_networks(cells, input, precision);
  }
  return cells;
}

}  // namespace labreport::torch_compile
