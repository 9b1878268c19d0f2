// A cell is one measurement, identified by its kind and parameters. metric_names.h describes kinds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/table.h"

namespace labreport {

enum class CellKind {
  kTiming,
  kLimits,
  kAccumulation,
  kDtypes,
  kLayerNorm,
  kKernels,
  kMemory,
  kAttention,
  kLadder,
  kCheckpointing,
  kAllReduce,
  kSharding,
  kDataParallel,
  kLeaderboard
};
template <>
inline constexpr auto kEnumNames<CellKind> =
    enum_names<CellKind>("cell kind", {{CellKind::kTiming, "timing"},
                                       {CellKind::kLimits, "limits"},
                                       {CellKind::kAccumulation, "accumulation"},
                                       {CellKind::kDtypes, "dtypes"},
                                       {CellKind::kLayerNorm, "layer_norm"},
                                       {CellKind::kKernels, "kernels"},
                                       {CellKind::kMemory, "memory"},
                                       {CellKind::kAttention, "attention"},
                                       {CellKind::kLadder, "ladder"},
                                       {CellKind::kCheckpointing, "checkpointing"},
                                       {CellKind::kAllReduce, "all_reduce"},
                                       {CellKind::kSharding, "sharding"},
                                       {CellKind::kDataParallel, "data_parallel"},
                                       {CellKind::kLeaderboard, "leaderboard"}});
enum class DeviceKind { kCuda, kCpu };
template <>
inline constexpr auto kEnumNames<DeviceKind> =
    enum_names<DeviceKind>("device", {{DeviceKind::kCuda, "cuda"}, {DeviceKind::kCpu, "cpu"}});
enum class Precision { kFp32, kTf32, kBf16, kFp16 };
template <>
inline constexpr auto kEnumNames<Precision> =
    enum_names<Precision>("precision", {{Precision::kFp32, "fp32", "FP32"},
                                        {Precision::kTf32, "tf32", "TF32"},
                                        {Precision::kBf16, "bf16", "BF16"},
                                        {Precision::kFp16, "fp16", "FP16"}});

/// The work of one step.
enum class Mode {
  kInference,        ///< forward under no_grad
  kForward,          ///< forward while autograd records
  kForwardBackward,  ///< forward, loss, backward
  kTrainStep,        ///< forward, loss, backward, AdamW
};
template <>
inline constexpr auto kEnumNames<Mode> =
    enum_names<Mode>("mode", {{Mode::kInference, "inference", "inference"},
                              {Mode::kForward, "forward", "forward"},
                              {Mode::kForwardBackward, "forward_backward", "forward+backward"},
                              {Mode::kTrainStep, "train_step", "training step"}});

/// The work of each mode includes the work of the mode before it.
inline constexpr std::array kModes{Mode::kInference, Mode::kForward, Mode::kForwardBackward,
                                   Mode::kTrainStep};

/// The procedure that times one attention.
enum class AttentionMethod {
  kSynced,       ///< The host's clock times each pass, which ends with a device synchronization.
  kDoBench,      ///< triton.testing.do_bench: 25 ms of warm-up, 100 ms of repeats, L2 flushed.
  kLeaderboard,  ///< kDoBench with 1 s of warm-up and 10 s of repeats. Each repeat times forward
                 ///< and backward together.
};
template <>
inline constexpr auto kEnumNames<AttentionMethod> =
    enum_names<AttentionMethod>("method", {{AttentionMethod::kSynced, "synced"},
                                           {AttentionMethod::kDoBench, "do_bench"},
                                           {AttentionMethod::kLeaderboard, "leaderboard"}});

/// The implementation of attention: the network's own operators, a backend of
/// scaled_dot_product_attention, or the user's code.
enum class AttentionBackend { kEager, kFlash, kEfficient, kCudnn, kMath, kCustom };
template <>
inline constexpr auto kEnumNames<AttentionBackend> = enum_names<AttentionBackend>(
    "backend", {{AttentionBackend::kEager, "eager", "eager"},
                {AttentionBackend::kFlash, "flash", "SDPA flash"},
                {AttentionBackend::kEfficient, "efficient", "SDPA efficient"},
                {AttentionBackend::kCudnn, "cudnn", "SDPA cuDNN"},
                {AttentionBackend::kMath, "math", "SDPA math"},
                {AttentionBackend::kCustom, "custom", "custom"}});

/// The variants of the training step that kind `ladder` compares. Each keeps the changes of the
/// variants before it.
enum class Variant {
  kEinsum,  ///< Linear layers as einsum("... i, o i -> ... o"), explicit attention, unfused AdamW.
  kMatmul,  ///< Linear layers as matmul. All other kinds measure this variant.
  kSdpa,    ///< Attention by scaled_dot_product_attention.
  kFusedAdamW,  ///< AdamW as one fused kernel for many parameters.
  kCudaGraph,   ///< The whole step captured once and replayed as a CUDA graph.
};
template <>
inline constexpr auto kEnumNames<Variant> =
    enum_names<Variant>("variant", {{Variant::kEinsum, "einsum", "einsum"},
                                    {Variant::kMatmul, "matmul", "matmul"},
                                    {Variant::kSdpa, "sdpa", "SDPA"},
                                    {Variant::kFusedAdamW, "fused_adamw", "fused AdamW"},
                                    {Variant::kCudaGraph, "cuda_graph", "CUDA graph"}});

inline constexpr std::array kVariants{Variant::kEinsum, Variant::kMatmul, Variant::kSdpa,
                                      Variant::kFusedAdamW, Variant::kCudaGraph};

/// The library that carries data between processes.
enum class Collectives { kNccl, kGloo };
template <>
inline constexpr auto kEnumNames<Collectives> = enum_names<Collectives>(
    "collectives", {{Collectives::kNccl, "nccl", "NCCL"}, {Collectives::kGloo, "gloo", "Gloo"}});

/// The training state that is split among the ranks; each rank holds a copy of all other state.
enum class Sharding {
  kNone,       ///< Every rank holds all.
  kOptimizer,  ///< The optimizer's state: each rank updates its own parameters and broadcasts them.
  kWeights,    ///< Linear layers and the embedding: weights, gradients and optimizer state.
};
template <>
inline constexpr auto kEnumNames<Sharding> = enum_names<Sharding>(
    "sharding", {{Sharding::kNone, "none", "nothing sharded"},
                 {Sharding::kOptimizer, "optimizer", "optimizer state sharded"},
                 {Sharding::kWeights, "weights", "weights sharded (FSDP)"}});

inline constexpr std::array kShardings{Sharding::kNone, Sharding::kOptimizer, Sharding::kWeights};

/// Several processes that measure together. Each has its own GPU, or all use the CPU.
struct Ranks {
  std::int64_t count = 0;
  Collectives collectives = Collectives::kNccl;

  bool operator==(const Ranks&) const = default;
};

/// Ways in which the ranks of a data-parallel training step average their gradients, in the order
/// of the course handout.
enum class Scheme {
  kNone,          ///< No averaging: the baseline for the other schemes.
  kPerParameter,  ///< One all-reduce for each parameter, after backward.
  kFlat,          ///< One all-reduce of all gradients in one tensor, after backward.
  kOverlapped,    ///< One all-reduce for each parameter, started as soon as its gradient is ready.
  kBucketed,      ///< kOverlapped for buckets of gradients, filled from the last parameter on.
  kReducer,       ///< PyTorch's `c10d::Reducer`, which DistributedDataParallel uses.
  kOwnStep,       ///< A training step of the user's, which averages by itself or shards instead.
};
template <>
inline constexpr auto kEnumNames<Scheme> =
    enum_names<Scheme>("scheme", {{Scheme::kNone, "none", "no communication"},
                                  {Scheme::kPerParameter, "per_parameter", "per parameter"},
                                  {Scheme::kFlat, "flat", "flat"},
                                  {Scheme::kOverlapped, "overlapped", "overlapped"},
                                  {Scheme::kBucketed, "bucketed", "buckets"},
                                  {Scheme::kReducer, "reducer", "PyTorch's Reducer"},
                                  {Scheme::kOwnStep, "own_step", "its own step"}});

/// labreport's own schemes, around any network.
inline constexpr std::array kSchemes{Scheme::kNone,       Scheme::kPerParameter, Scheme::kFlat,
                                     Scheme::kOverlapped, Scheme::kBucketed,     Scheme::kReducer};

struct ModelShape {
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t vocab = 0;

  bool operator==(const ModelShape&) const = default;
};

/// One causal attention, without a network, that is measured at several sequence lengths.
struct AttentionSweep {
  AttentionMethod method = AttentionMethod::kSynced;
  AttentionBackend backend = AttentionBackend::kEager;
  std::int64_t head_dim = 0;
  std::int64_t heads = 1;
  std::vector<std::int64_t> lengths = {};  ///< Tokens, shortest first; at most `kMaxLengths`.
};

inline constexpr std::size_t kMaxLengths = 16;

/// The parameters of a cell. Parameters that the kind does not use stay absent.
struct CellSpec {
  CellKind kind = CellKind::kTiming;
  DeviceKind device = DeviceKind::kCuda;
  std::string size;  ///< The edition's name for `model`: "small". It is not part of the id.
  /// The network's implementation, as in `ModelSource`; empty for labreport's network in C++.
  std::string implementation = {};
  std::optional<ModelShape> model;
  std::optional<std::int64_t> context;
  std::optional<std::int64_t> batch;  ///< Sequences; for each rank if the cell has ranks.
  std::optional<Precision> precision;
  std::optional<Mode> mode;
  std::optional<std::int64_t> warmup;  ///< Steps that run first and are not counted.
  std::optional<std::int64_t> steps;   ///< Counted steps.
  std::optional<AttentionSweep> attention = {};
  std::optional<Variant> variant = {};  ///< Kind `ladder` only.
  /// Kind `checkpointing` only: the number of consecutive blocks that form a group. Only the
  /// group's input is kept, and backward runs the group again. Absent if all activations are kept.
  std::optional<std::int64_t> blocks_per_checkpoint = {};
  std::optional<Ranks> ranks = {};  ///< Absent for a single process.
  /// Kind `all_reduce` only: the size of the largest tensor.
  std::optional<std::int64_t> largest_bytes = {};
  std::optional<Sharding> sharding = {};  ///< Kind `sharding` only.
  std::optional<Scheme> scheme = {};      ///< Kind `data_parallel` only.
  /// Only for schemes kBucketed and kReducer: the bytes at which a bucket is full.
  std::optional<std::int64_t> bucket_bytes = {};
  /// Kind `leaderboard` only: steps that are timed once more as triton.testing.do_bench does.
  std::optional<std::int64_t> repeats = {};
};

/// True if the precision is BF16 or FP16, in which autocast computes matrix products.
bool under_autocast(const CellSpec& spec);

/// True if both cells have the same implementation, model shape, context and batch.
bool same_network_and_batch(const CellSpec& a, const CellSpec& b);
/// True if same_network_and_batch() holds and both cells have the same precision.
bool same_setting(const CellSpec& a, const CellSpec& b);

/// Returns the name of the user's code that measured a cell: "TransformerLM" of
/// "TransformerLM-0a1b2c3d".
std::string name_without_digest(const std::string& implementation);

/// True if code of the user's joins the cell's ranks, rather than labreport's schemes.
bool joins_by_itself(const CellSpec& spec);

/// True if all tensors of the cell together have, by an upper estimate, less than 10^16 bytes, the
/// largest integer that a run may hold. All results of src/plan then fit in 64 bits.
bool bytes_are_countable(const CellSpec& spec);

/// Returns a readable slug of kind and parameters, safe as a file name, e.g.
/// "timing.cuda.d768-f3072-l12-h12-v10000.b4.c512.fp32.forward_backward.w5.n10". Two specs have the
/// same id if and only if they are equal except for `size`.
std::string cell_id(const CellSpec& spec);

}  // namespace labreport
