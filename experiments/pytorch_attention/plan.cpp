#include "experiments/problems.h"

#include "experiments/common/attention.h"

namespace labreport::pytorch_attention {
namespace {

constexpr std::int64_t kBatch = 8;

/// The lengths of one cell, and the numbers of passes at each.
struct Sweep {
  std::vector<std::int64_t> lengths;
  std::int64_t warmup, steps;
};

/// Returns a precision's sweeps. The handout asks for 100 passes at five lengths in FP32; ten
/// suffice in 16 bits, and for longer sequences, at which today's GPUs run out of memory.
std::vector<Sweep> sweeps(const PlanInput& input, Precision precision) {
  if (input.preset == Preset::kDemo) return {{{64, 128, 256}, 2, 5}};
  const bool handout_lengths_only =
      !input.selection.contexts.empty() || input.preset == Preset::kQuick;
  if (precision != Precision::kFp32) {
    if (handout_lengths_only) return {{{256, 1024, 4096, 8192, 16384}, 2, 10}};
    return {{{256, 1024, 4096, 8192, 16384, 24576, 32768}, 2, 10}};
  }
  const Sweep handout{{256, 1024, 4096, 8192, 16384}, 10, 100};
  if (handout_lengths_only) return {handout};
  return {handout, {{24576, 32768}, 2, 10}};
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  const bool demo = input.preset == Preset::kDemo;
  std::vector<PlannedCell> cells;
  for (const Precision precision : attention_precisions(input)) {
    for (const std::int64_t head_dim : attention_head_dims(input)) {
      for (const Sweep& sweep : sweeps(input, precision)) {
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
