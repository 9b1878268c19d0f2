#include "experiments/problems.h"

#include <algorithm>

#include "experiments/common/attention.h"

namespace labreport::flash_benchmarking {
namespace {

// The handout's leaderboard times attention in this configuration.
constexpr std::int64_t kHeads = 16;
constexpr std::int64_t kHeadDim = 64;
constexpr std::int64_t kLength = 16384;

std::vector<AttentionBackend> backends(const PlanInput& input) {
  std::vector<AttentionBackend> backends{AttentionBackend::kEager};
  if (input.device == DeviceKind::kCuda) {
    backends = {AttentionBackend::kEager, AttentionBackend::kFlash, AttentionBackend::kCudnn,
                AttentionBackend::kEfficient};
  }
  backends.push_back(AttentionBackend::kMath);
  if (!input.selection.attentions.empty()) backends.push_back(AttentionBackend::kCustom);
  return backends;
}

/// Adds a cell of the backend, or one for each attention of the user's.
void add_cell(std::vector<PlannedCell>& cells, const PlanInput& input, CellSpec spec,
              Precision precision) {
  spec.precision = precision;
  spec.batch = 1;
  if (spec.attention->backend != AttentionBackend::kCustom) return cells.push_back({spec, 1});
  for (const ModelSource& attention : input.selection.attentions) {
    spec.implementation = attention.implementation;
    cells.push_back({spec, 1});
  }
}

void add_grid(std::vector<PlannedCell>& cells, const PlanInput& input, Precision precision) {
  const bool demo = input.preset == Preset::kDemo;
  std::vector<std::int64_t> lengths;
  for (std::int64_t length = demo ? 32 : 128; length <= (demo ? 128 : 65536); length *= 2) {
    lengths.push_back(length);
  }
  for (const std::int64_t head_dim : attention_head_dims(input)) {
    for (const AttentionBackend backend : backends(input)) {
      // Backends that run in 16 bits alone are tried in FP32 once, which records their refusal.
      const bool sixteen_bit_only =
          backend == AttentionBackend::kFlash || backend == AttentionBackend::kCudnn;
      const bool repeats_refusal =
          head_dim != attention_head_dims(input).front() && sixteen_bit_only;
      if (repeats_refusal && precision == Precision::kFp32) continue;
      add_cell(cells, input,
               attention_cell(input, {AttentionMethod::kDoBench, backend, head_dim, 1, lengths}),
               precision);
    }
  }
}

void add_leaderboard(std::vector<PlannedCell>& cells, const PlanInput& input) {
  const bool demo = input.preset == Preset::kDemo;
  for (const AttentionBackend backend : backends(input)) {
    if (backend == AttentionBackend::kEager) continue;
    CellSpec spec = attention_cell(
        input, {AttentionMethod::kLeaderboard, backend, kHeadDim, demo ? 2 : kHeads, {}});
    spec.attention->lengths = {demo ? 128 : kLength};  // The user's contexts do not apply.
    add_cell(cells, input, spec, input.half_precision);
  }
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run&) {
  const std::vector<Precision> precisions = attention_precisions(input);
  std::vector<PlannedCell> cells;
  for (const Precision precision : precisions) add_grid(cells, input, precision);
  if (std::ranges::find(precisions, input.half_precision) != precisions.end()) {
    add_leaderboard(cells, input);
  }
  std::ranges::stable_partition(cells, [](const PlannedCell& cell) {  // the user's cells come first
    return cell.spec.attention->backend == AttentionBackend::kCustom;
  });
  return cells;
}

}  // namespace labreport::flash_benchmarking
