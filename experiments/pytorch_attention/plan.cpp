#include "experiments/pytorch_attention/plan.h"

#include "experiments/common/attention.h"

namespace labreport::pytorch_attention {
namespace {

constexpr std::int64_t kBatch = 8;

/// Behind the handout's five lengths two at which memory ends on GPUs of today.
std::vector<std::int64_t> lengths(const PlanInput& input) {
  if (input.preset == Preset::kDemo) return {64, 128, 256};
  if (input.preset == Preset::kQuick) return {256, 1024, 4096, 8192, 16384};
  return {256, 1024, 4096, 8192, 16384, 24576, 32768};
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  const bool demo = input.preset == Preset::kDemo;
  std::vector<PlannedCell> cells;
  for (const Precision precision : attention_precisions(input)) {
    for (const std::int64_t head_dim : attention_dims(input)) {
      CellSpec spec = attention_cell(
          input, {AttentionMethod::kSynced, AttentionBackend::kEager, head_dim, 1, lengths(input)});
      spec.precision = precision;
      spec.batch = input.selection.batch.value_or(demo ? 2 : kBatch);
      spec.warmup = input.selection.warmup.value_or(demo ? 2 : 10);
      spec.steps = input.selection.steps.value_or(demo ? 5 : 100);
      cells.push_back({spec, 1});
    }
  }
  return cells;
}

}  // namespace labreport::pytorch_attention
