#include "experiments/pytorch_attention/plan.h"

#include "experiments/common/attention.h"

namespace labreport::pytorch_attention {
namespace {

constexpr std::int64_t kBatch = 8;

/// One process's sweep.
struct Sweep {
  std::vector<std::int64_t> lengths;
  std::int64_t warmup, steps;
};

/// Beyond the handout's five lengths memory ends on GPUs of today; ten passes are long there.
std::vector<Sweep> sweeps(const PlanInput& input) {
  if (input.preset == Preset::kDemo) return {{{64, 128, 256}, 2, 5}};
  const Sweep handout{{256, 1024, 4096, 8192, 16384}, 10, 100};
  const bool chosen = !input.selection.contexts.empty();
  if (chosen || input.preset == Preset::kQuick) return {handout};
  return {handout, {{24576, 32768}, 2, 10}};
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  const bool demo = input.preset == Preset::kDemo;
  std::vector<PlannedCell> cells;
  for (const Precision precision : attention_precisions(input)) {
    for (const std::int64_t head_dim : attention_dims(input)) {
      for (const Sweep& sweep : sweeps(input)) {
        CellSpec spec = attention_cell(input, {AttentionMethod::kSynced, AttentionBackend::kEager,
                                               head_dim, 1, sweep.lengths});
        spec.precision = precision;
        spec.batch = input.selection.batch.value_or(demo ? 2 : kBatch);
        spec.warmup = input.selection.warmup.value_or(sweep.warmup);
        spec.steps = input.selection.steps.value_or(sweep.steps);
        cells.push_back({spec, 1});
      }
    }
  }
  return cells;
}

}  // namespace labreport::pytorch_attention
