#include "plan/estimate.h"

#include <algorithm>

#include "plan/arithmetic.h"
#include "plan/editions.h"
#include "plan/leaderboard.h"
#include "results/leaderboard_rung.h"
#include "results/shipped_variant.h"

namespace labreport {
namespace {

// A process takes these times to load LibTorch and start CUDA, in Python also to import the model.
constexpr double kStartSeconds = 1.4, kPythonStartSeconds = 8.8;
// A process on a CPU starts faster.
constexpr double kCpuStartSeconds = 0.6, kCpuPythonStartSeconds = 1.6;
// Ranks take these additional times to connect by NCCL and by Gloo.
constexpr double kNcclStartSeconds = 2.5, kGlooStartSeconds = 1;
// Gloo takes this time to all-reduce 1 GB between two processes of one host.
constexpr double kGlooSecondsPerGigabyte = 3;
// A cell of kind `limits` takes these times after the start.
constexpr double kLimitsSeconds = 5.6, kCpuLimitsSeconds = 4;
// A CPU without BF16 instructions takes this many times as long for a 16-bit GEMM as in FP32.
constexpr double kCpuHalfSlowdown = 8;
// torch.compile takes these times without cached code: for a network, for each of its layers in
// addition, and for an attention.
constexpr double kCompileSeconds = 15, kLayerCompileSeconds = 2.2, kAttentionCompileSeconds = 4;
// A rung of the leaderboard compiles one block for all, draws its weights and reads its trace in
// these times, and its last rung tries in about as many steps how much it can keep.
constexpr double kRungCompileSeconds = 10, kRungStartSeconds = 7.5, kTriedSteps = 5;
// The host takes this time to enqueue a layer's forward pass, which bounds the step on a GPU.
constexpr double kLayerLaunchSeconds = 2e-3;
// AdamW takes as long for one parameter as FP32 GEMMs take for this many operations.
constexpr double kFlopsPerParameter = 2000, kCpuFlopsPerParameter = 200;
// Elementwise kernels over the scores dominate the time of attention. Together they take as long
// for one score as GEMMs of the same precision take for this many operations.
constexpr double kFlopsPerScore = 450, kAutocastFlopsPerScore = 1250;
// do_bench times forward, backward and both, each for 25 + 100 ms. The leaderboard asks for
// 1 + 10 s of forward and backward together, but do_bench estimates too few repeats, which take
// about 9 s.
constexpr double kDoBenchSeconds = 0.375, kLeaderboardSeconds = 9;
// do_bench warms up for a third of the time in which it repeats the leaderboard's step.
constexpr double kDoBenchPasses = 4.0 / 3;
// On a CPU, do_bench times at most this many passes, whatever time they take.
constexpr double kCpuPasses = 20;
// do_bench first runs about this many forward passes to estimate the number of repeats.
constexpr double kEstimationPasses = 20;
// Forward and backward together take as long as this many forward passes.
constexpr double kForwardAndBackward = 3.5;
// For a layer's forward pass, a trace has 60 kernels of 1.4 kB, a snapshot 140 events of 0.4 kB.
constexpr double kLayerTraceBytes = 90e3, kLayerSnapshotBytes = 60e3, kResultBytes = 40e3;

/// Returns the FLOP/s that the device sustains over whole passes in the cell's precision.
double sustained_flops(const CellSpec& spec, double fp32_flops) {
  const Precision precision = spec.precision.value_or(Precision::kFp32);
  if (spec.device == DeviceKind::kCpu) {
    return under_autocast(spec) ? fp32_flops / kCpuHalfSlowdown : fp32_flops;
  }
  if (precision == Precision::kFp32) return fp32_flops;
  return fp32_flops * (precision == Precision::kTf32 ? 4 : 5);
}

double start_seconds(const CellSpec& spec) {
  const bool on_cpu = spec.device == DeviceKind::kCpu;
  const double seconds = spec.implementation.empty()
                             ? (on_cpu ? kCpuStartSeconds : kStartSeconds)
                             : (on_cpu ? kCpuPythonStartSeconds : kPythonStartSeconds);
  if (!spec.ranks) return seconds;
  const bool nccl = spec.ranks->collectives == Collectives::kNccl;
  if (!nccl) return seconds + kGlooStartSeconds;
  return seconds + kNcclStartSeconds + (leaderboard_rung(spec) ? kRungStartSeconds : 0);
}

double compile_seconds(const CellSpec& spec) {
  const auto rung = leaderboard_rung(spec);
  if (rung) return *rung < LeaderboardRung::kCompiled ? 0 : kRungCompileSeconds;
  if (!is_shipped(spec) || !is_compiled(spec)) return 0;
  if (spec.attention) {
    return kAttentionCompileSeconds * static_cast<double>(spec.attention->lengths.size() + 1);
  }
  if (!spec.model) return 0;
  return kCompileSeconds + kLayerCompileSeconds * static_cast<double>(spec.model->layers);
}

double attention_seconds(const CellSpec& spec, double flops_per_second) {
  const AttentionSweep& sweep = *spec.attention;
  const double flops_per_score = under_autocast(spec) ? kAutocastFlopsPerScore : kFlopsPerScore;
  const auto heads = static_cast<double>(spec.batch.value_or(1) * sweep.heads);
  const auto passes = static_cast<double>(spec.warmup.value_or(0) + spec.steps.value_or(1));
  const bool on_cpu = spec.device == DeviceKind::kCpu;
  double seconds = 0;
  for (const std::int64_t length : sweep.lengths) {
    const double scores = heads * static_cast<double>(length) * static_cast<double>(length);
    const double forward =
        scores * (4 * static_cast<double>(sweep.head_dim) + flops_per_score) / flops_per_second;
    switch (sweep.method) {
      case AttentionMethod::kSynced:
        seconds += kForwardAndBackward * passes * forward;
        break;
      case AttentionMethod::kDoBench:
        seconds += (on_cpu ? 2 * kForwardAndBackward * kCpuPasses * forward : kDoBenchSeconds) +
                   kEstimationPasses * forward;
        break;
      case AttentionMethod::kLeaderboard:
        seconds += (on_cpu ? kForwardAndBackward * kCpuPasses * forward : kLeaderboardSeconds) +
                   kEstimationPasses * forward;
        break;
    }
  }
  return seconds;
}

/// Returns 0 for NCCL, whose time is negligible. With Gloo, the largest size takes about 10 calls,
/// and all smaller sizes together take as long. The time grows with the number of ranks.
double all_reduce_seconds(const CellSpec& spec) {
  const Ranks ranks = spec.ranks.value_or(Ranks{});
  if (ranks.collectives == Collectives::kNccl) return 0;
  const double gigabytes = static_cast<double>(spec.largest_bytes.value_or(0)) / 1e9;
  return 20 * kGlooSecondsPerGigabyte * gigabytes * static_cast<double>(ranks.count) / 2;
}

/// Returns the time of a rung's step on a GPU. The multiples of FP32's rate were measured on an
/// H200 (2026-11-30); what is computed again and what makes no FLOPs is in them.
double rung_seconds(const CellSpec& spec, LeaderboardRung rung, double fp32_flops) {
  const double multiple = rung < LeaderboardRung::kCudnn            ? 5.9
                          : rung < LeaderboardRung::kCompiled       ? 7.4
                          : rung < LeaderboardRung::kSavedAttention ? 9.0
                          : rung < LeaderboardRung::kSavedProducts  ? 9.9
                                                                    : 10.7;
  const double flops = leaderboard::product_flops(spec) + leaderboard::causal_attention_flops(spec);
  return flops / (multiple * fp32_flops);
}

double step_seconds(CellSpec spec, double fp32_flops) {
  if (!spec.model) return 0;
  const auto rung = leaderboard_rung(spec);
  if (rung && spec.device == DeviceKind::kCuda) return rung_seconds(spec, *rung, fp32_flops);
  spec.implementation.clear();
  double seconds = step_flops(spec).value_or(0) / sustained_flops(spec, fp32_flops);
  if (spec.mode == Mode::kTrainStep) {
    const auto parameters = static_cast<double>(known_parameter_count(spec).value_or(0));
    const bool on_cpu = spec.device == DeviceKind::kCpu;
    seconds += (on_cpu ? kCpuFlopsPerParameter : kFlopsPerParameter) * parameters / fp32_flops;
  }
  // Checkpointing repeats the forward pass during backward.
  if (spec.kind == CellKind::kCheckpointing) seconds *= 4.0 / 3;
  if (spec.device == DeviceKind::kCpu) return seconds;
  const double passes = has_backward(spec) ? 3 : 1;
  return std::max(seconds, passes * kLayerLaunchSeconds * static_cast<double>(spec.model->layers));
}

/// Returns the number of steps of a launch: warm-up steps, timed steps, one step that is traced or
/// sampled, one for the memory of checkpoints and, if phases are timed, as many as timed steps.
double step_count(const CellSpec& spec) {
  const auto timed = static_cast<double>(spec.steps.value_or(1));
  const double steps = static_cast<double>(spec.warmup.value_or(0)) + timed + 1 +
                       kDoBenchPasses * static_cast<double>(spec.repeats.value_or(0));
  if (spec.kind == CellKind::kCheckpointing) return steps + 1;
  if (leaderboard_rung(spec) == LeaderboardRung::kSavedProducts) return steps + kTriedSteps;
  const bool times_phases = spec.kind == CellKind::kTiming || spec.kind == CellKind::kSharding;
  return times_phases && has_backward(spec) ? steps + timed : steps;
}

}  // namespace

double estimated_seconds(const CellSpec& spec, double fp32_flops) {
  const double start_up_seconds = start_seconds(spec) + compile_seconds(spec);
  if (spec.kind == CellKind::kLimits) {
    return start_up_seconds +
           (spec.device == DeviceKind::kCpu ? kCpuLimitsSeconds : kLimitsSeconds);
  }
  if (spec.kind == CellKind::kAllReduce) return start_up_seconds + all_reduce_seconds(spec);
  if (spec.attention)
    return start_up_seconds + attention_seconds(spec, sustained_flops(spec, fp32_flops));
  return start_up_seconds + step_count(spec) * step_seconds(spec, fp32_flops);
}

double estimated_seconds_until_oom(const CellSpec& spec, double fp32_flops) {
  return start_seconds(spec) + step_seconds(spec, fp32_flops);
}

double estimated_disk_bytes(const CellSpec& spec) {
  if (!spec.model || (spec.kind != CellKind::kKernels && spec.kind != CellKind::kMemory)) {
    return kResultBytes;
  }
  const double passes = spec.mode == Mode::kTrainStep ? 5 : has_backward(spec) ? 3 : 1;
  const double per_pass = spec.kind == CellKind::kKernels ? kLayerTraceBytes : kLayerSnapshotBytes;
  return kResultBytes + passes * per_pass * static_cast<double>(spec.model->layers);
}

}  // namespace labreport
