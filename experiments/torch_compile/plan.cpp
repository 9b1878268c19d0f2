#include "experiments/problems.h"

#include "experiments/common/attention.h"
#include "experiments/common/selection.h"
#include "experiments/common/shipped.h"
#include "experiments/torch_compile/parts.h"

namespace labreport::torch_compile {
namespace {

// Attention alone needs fewer passes for a speedup than for the times that the handout asks for.
constexpr std::int64_t kWarmup = 5;
constexpr std::int64_t kPasses = 20;

std::vector<Precision> precisions(const PlanInput& input) {
  if (!input.selection.precisions.empty()) return input.selection.precisions;
  if (input.preset == Preset::kDemo) return {Precision::kFp32};
  return {Precision::kFp32, input.half};
}

/// A CPU compiles for a minute, which a demonstration spends only on sizes or contexts that its
/// user names.
bool compiles(const PlanInput& input) {
  return input.device == DeviceKind::kCuda || !input.selection.sizes.empty() ||
         !input.selection.contexts.empty();
}

std::vector<bool> ways(const PlanInput& input) {
  if (compiles(input)) return {false, true};
  return {false};
}

/// The handout's lengths.
std::vector<std::int64_t> lengths(const PlanInput& input) {
  if (input.preset == Preset::kDemo) return {64, 128};
  return {256, 1024, 4096, 8192, 16384};
}

std::vector<std::int64_t> head_dims(const PlanInput& input) {
  std::vector<std::int64_t> dims = attention_dims(input);
  if (input.preset == Preset::kDemo) dims.resize(1);
  return dims;
}

/// FP32, like the handout, unless the user names formats.
std::vector<Precision> grid_precisions(const PlanInput& input) {
  const auto& chosen = input.selection.precisions;
  return chosen.empty() ? std::vector{Precision::kFp32} : chosen;
}

void add_attention(std::vector<PlannedCell>& cells, const PlanInput& input, Precision precision) {
  const bool demo = input.preset == Preset::kDemo;
  for (const std::int64_t head_dim : head_dims(input)) {
    for (const bool compiled : ways(input)) {
      CellSpec spec = attention_cell(
          input, {AttentionMethod::kSynced, AttentionBackend::kEager, head_dim, 1, lengths(input)});
      spec.implementation = implementation_of({.compiled = compiled});
      spec.precision = precision;
      spec.batch = input.selection.batch.value_or(demo ? 2 : 8);
      spec.warmup = input.selection.warmup.value_or(demo ? 2 : kWarmup);
      spec.steps = input.selection.steps.value_or(demo ? 5 : kPasses);
      cells.push_back({spec, 1});
    }
  }
}

std::vector<Size> sizes(const PlanInput& input) {
  std::vector<Size> sizes = compared_sizes(input);
  if (!compiles(input)) sizes.resize(1);
  return sizes;
}

void add_networks(std::vector<PlannedCell>& cells, const PlanInput& input, Precision precision) {
  for (const Size& size : sizes(input)) {
    for (const bool compiled : ways(input)) {
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
    for (const Precision precision : grid_precisions(input)) {
      add_attention(cells, input, precision);
    }
  }
  if (part_wanted(input, kProblem, "b") && mode_wanted(input, Mode::kTrainStep)) {
    for (const Precision precision : precisions(input)) add_networks(cells, input, precision);
  }
  return cells;
}

}  // namespace labreport::torch_compile
