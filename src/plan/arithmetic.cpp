#include "plan/arithmetic.h"

#include "base/format.h"
#include "plan/editions.h"
#include "plan/sharding.h"
#include "results/shipped.h"

namespace labreport {
namespace {

constexpr std::int64_t kFp32Bytes = 4;
constexpr double kProcessSeconds = 3.0;
// torch.compile of a network, with no code kept of an earlier time.
constexpr double kCompileSeconds = 15, kLayerCompileSeconds = 2, kAttentionCompileSeconds = 4;
// Of one layer's forward pass: some 60 kernels of 1.4 kB, 140 allocator events of 0.4 kB.
constexpr double kTraceBytes = 90e3;
constexpr double kSnapshotBytes = 60e3;
constexpr double kResultBytes = 40e3;

bool has_backward(const CellSpec& spec) {
  return spec.mode == Mode::kForwardBackward || spec.mode == Mode::kTrainStep;
}

/// FP32 copies of the parameters that a mode holds: themselves, gradients, two moments.
std::int64_t parameter_copies(const CellSpec& spec) {
  if (spec.mode == Mode::kTrainStep) return 4;
  return has_backward(spec) ? 2 : 1;
}

/// Passes over the scores set the pace of the slower implementations: so many operations a score
/// would take as long.
constexpr double kScoreOperations = 500;
constexpr double kHalfScoreOperations = 2500;
/// do_bench times forward, backward and both, each for 25 + 100 ms; the leaderboard one for 1 + 10
/// s.
constexpr double kDoBenchSeconds = 0.375, kLeaderboardSeconds = 9;

double attention_seconds(const CellSpec& spec, double flops_per_second) {
  const AttentionSweep& sweep = *spec.attention;
  const double least = under_autocast(spec) ? kHalfScoreOperations : kScoreOperations;
  const double rows = static_cast<double>(spec.batch.value_or(1) * sweep.heads);
  const auto steps = static_cast<double>(spec.warmup.value_or(0) + spec.steps.value_or(1));
  double seconds = kProcessSeconds;
  for (const std::int64_t length : sweep.lengths) {
    const auto tokens = static_cast<double>(length);
    const double work = 4 * static_cast<double>(sweep.head_dim) + least;
    const double forward = rows * tokens * tokens * work / flops_per_second;
    if (sweep.method == AttentionMethod::kSynced) seconds += 3.5 * steps * forward;
    if (sweep.method == AttentionMethod::kDoBench) seconds += kDoBenchSeconds + 20 * forward;
    if (sweep.method == AttentionMethod::kLeaderboard)
      seconds += kLeaderboardSeconds + 20 * forward;
  }
  return seconds;
}

// A GB over Gloo among few ranks; over links between GPUs starting them takes longest.
constexpr double kGlooSeconds = 3, kNcclSeconds = 10;

/// A size takes at most some 10 calls of 1 GB; all smaller ones together as long as the largest.
double all_reduce_seconds(const CellSpec& spec) {
  const Ranks ranks = spec.ranks.value_or(Ranks{});
  const double gigabytes = static_cast<double>(spec.largest.value_or(0)) / 1e9;
  if (ranks.collectives == Collectives::kNccl) return kProcessSeconds + kNcclSeconds;
  return kProcessSeconds + 20 * kGlooSeconds * gigabytes * static_cast<double>(ranks.count) / 2;
}

/// The ranks find each other, and the last step is traced.
double joining_seconds(const CellSpec& spec) {
  if (!spec.ranks) return 0;
  return spec.ranks->collectives == Collectives::kNccl ? kNcclSeconds : 1;
}

bool is_users(const CellSpec& spec) { return !spec.implementation.empty() && !is_shipped(spec); }

double compile_seconds(const CellSpec& spec) {
  if (!is_shipped(spec) || !is_compiled(spec)) return 0;
  if (spec.attention) {
    return kAttentionCompileSeconds * static_cast<double>(spec.attention->lengths.size() + 1);
  }
  if (!spec.model) return 0;
  return kCompileSeconds + kLayerCompileSeconds * static_cast<double>(spec.model->layers);
}

}  // namespace

double attention_flops(const CellSpec& spec, std::int64_t length) {
  const AttentionSweep sweep = spec.attention.value_or(AttentionSweep{});
  const auto tokens = static_cast<double>(length);
  return 2 * static_cast<double>(spec.batch.value_or(1) * sweep.heads * sweep.head_dim) * tokens *
         tokens;
}

double forward_flops(const ModelShape& shape, std::int64_t batch, std::int64_t context) {
  const auto d = static_cast<double>(shape.d_model);
  const auto tokens = static_cast<double>(batch * context);
  const double block_weights = 4 * d * d + 3 * d * static_cast<double>(shape.d_ff);
  const double attention = 4 * tokens * static_cast<double>(context) * d;
  return static_cast<double>(shape.layers) * (2 * tokens * block_weights + attention) +
         2 * tokens * d * static_cast<double>(shape.vocab);
}

std::optional<std::int64_t> counted_parameters(const CellSpec& spec) {
  if (!spec.model || is_users(spec)) return std::nullopt;
  return parameter_count(*spec.model);
}

std::optional<double> step_flops(const CellSpec& spec) {
  if (is_users(spec) || !spec.model || !spec.batch || !spec.context) {
    return std::nullopt;
  }
  const double forward = forward_flops(*spec.model, *spec.batch, *spec.context);
  return has_backward(spec) ? 3 * forward : forward;
}

std::optional<std::int64_t> resident_bytes(const CellSpec& spec) {
  const auto parameters = counted_parameters(spec);
  if (!parameters) return std::nullopt;
  if (spec.sharding) return held_bytes(spec).total();
  return kFp32Bytes * *parameters * parameter_copies(spec);
}

double estimated_seconds(CellSpec spec, double flops_per_second) {
  if (spec.kind == CellKind::kAllReduce) return all_reduce_seconds(spec);
  const double compiling = compile_seconds(spec);
  spec.implementation.clear();
  if (spec.kind == CellKind::kLimits) return kProcessSeconds + 6;
  if (spec.attention) return compiling + attention_seconds(spec, flops_per_second);
  const double steps = static_cast<double>(spec.warmup.value_or(0) + spec.steps.value_or(1));
  const double second_set = has_backward(spec) ? static_cast<double>(spec.steps.value_or(1)) : 0;
  return kProcessSeconds + compiling + joining_seconds(spec) +
         (steps + second_set + 1) * step_flops(spec).value_or(0) / flops_per_second;
}

double estimated_disk_bytes(const CellSpec& spec) {
  if (!spec.model || (spec.kind != CellKind::kKernels && spec.kind != CellKind::kMemory)) {
    return kResultBytes;
  }
  const double passes = spec.mode == Mode::kTrainStep ? 5 : has_backward(spec) ? 3 : 1;
  const double of_layer = spec.kind == CellKind::kKernels ? kTraceBytes : kSnapshotBytes;
  return kResultBytes + passes * of_layer * static_cast<double>(spec.model->layers);
}

std::optional<std::string> cannot_fit(const CellSpec& spec, std::int64_t device_bytes) {
  const auto needed = resident_bytes(spec);
  if (!needed || *needed <= device_bytes) return std::nullopt;
  const std::int64_t copies = parameter_copies(spec);
  const std::string what = copies == 4   ? "parameters, gradients and AdamW states"
                           : copies == 2 ? "parameters and gradients"
                                         : "parameters";
  return format_bytes(static_cast<double>(*needed)) + " of " + what + " do not fit " +
         format_bytes(static_cast<double>(device_bytes));
}

}  // namespace labreport
