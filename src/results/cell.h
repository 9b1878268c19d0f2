// A cell is one measurement. Its kind and its parameters identify it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  kDataParallel
};
enum class DeviceKind { kCuda, kCpu };
enum class Precision { kFp32, kTf32, kBf16, kFp16 };

/// The work of one step. The first two modes run only the network; the others add loss and
/// backward.
enum class Mode {
  kInference,        ///< forward under no_grad
  kForward,          ///< forward while autograd records
  kForwardBackward,  ///< forward, loss, backward
  kTrainStep,        ///< forward, loss, backward, AdamW
};

/// All modes. Each does what the mode before it does, and more.
inline constexpr std::array kModes{Mode::kInference, Mode::kForward, Mode::kForwardBackward,
                                   Mode::kTrainStep};

/// The procedure that times one attention.
enum class AttentionMethod {
  kSynced,       ///< The host's clock times each pass until a device synchronization.
  kDoBench,      ///< Like triton.testing.do_bench: 25 ms of warm-up, 100 ms of repeats, L2 flushed.
  kLeaderboard,  ///< Like kDoBench with 1 s of warm-up and 10 s of repeats. A repeat is forward
                 ///< and backward together.
};

/// The implementation of attention: the network's own operators, a backend of
/// scaled_dot_product_attention, or the user's code.
enum class AttentionBackend { kEager, kFlash, kEfficient, kCudnn, kMath, kCustom };

/// Stages of a ladder's training step. Each stage keeps the changes of the stages before it.
enum class Variant {
  kEinsum,      ///< Linear layers as einsum("... i, o i -> ... o"), explicit attention and AdamW.
  kMatmul,      ///< Linear layers as matmul: labreport's network as every other kind measures it.
  kSdpa,        ///< Attention by scaled_dot_product_attention.
  kFusedAdamW,  ///< AdamW as one fused kernel for many parameters.
  kCudaGraph,   ///< The whole step captured once and replayed as a CUDA graph.
};

inline constexpr std::array kVariants{Variant::kEinsum, Variant::kMatmul, Variant::kSdpa,
                                      Variant::kFusedAdamW, Variant::kCudaGraph};

/// The library that carries data between processes.
enum class Collectives { kNccl, kGloo };

/// The training state that is split among the ranks; each rank holds a copy of all other state.
enum class Sharding {
  kNone,       ///< Every rank holds all.
  kOptimizer,  ///< The optimizer's state: each rank updates its own parameters and broadcasts them.
  kWeights,    ///< Linear layers and the embedding: weights, gradients and optimizer state.
};

inline constexpr std::array kShardings{Sharding::kNone, Sharding::kOptimizer, Sharding::kWeights};

/// Several processes that measure together: each has its own GPU, or all use the CPU.
struct Ranks {
  std::int64_t count = 0;
  Collectives collectives = Collectives::kNccl;

  bool operator==(const Ranks&) const = default;
};

/// The way in which the ranks of a data-parallel training step average their gradients, in the
/// order of the handout.
enum class Scheme {
  kNone,          ///< No averaging: the baseline for the other schemes.
  kPerParameter,  ///< One all-reduce for each parameter, after backward.
  kFlat,          ///< One all-reduce of all gradients in one tensor, after backward.
  kOverlapped,    ///< One all-reduce for each parameter, started as soon as its gradient is ready.
  kBucketed,  ///< Like kOverlapped for buckets of gradients, in reverse order of the parameters.
  kReducer,   ///< PyTorch's own `c10d::Reducer`, which DistributedDataParallel uses.
};

inline constexpr std::array kSchemes{Scheme::kNone,       Scheme::kPerParameter, Scheme::kFlat,
                                     Scheme::kOverlapped, Scheme::kBucketed,     Scheme::kReducer};

/// `name` returns the name used in JSON, flags and slugs. `parse_*` reads it, and throws
/// `InputError` with the nearest valid names.
std::string_view name(CellKind kind);
std::string_view name(DeviceKind device);
std::string_view name(Precision precision);
std::string_view name(Mode mode);
std::string_view name(AttentionMethod method);
std::string_view name(AttentionBackend backend);
std::string_view name(Variant variant);
std::string_view name(Collectives collectives);
std::string_view name(Sharding sharding);
std::string_view name(Scheme scheme);
CellKind parse_cell_kind(std::string_view text);
DeviceKind parse_device_kind(std::string_view text);
Precision parse_precision(std::string_view text);
Mode parse_mode(std::string_view text);
AttentionMethod parse_attention_method(std::string_view text);
AttentionBackend parse_attention_backend(std::string_view text);
Variant parse_variant(std::string_view text);
Collectives parse_collectives(std::string_view text);
Sharding parse_sharding(std::string_view text);
Scheme parse_scheme(std::string_view text);

/// `describe` returns words for readers: "forward+backward", "training step", "FP32".
std::string_view describe(Mode mode);
std::string_view describe(Precision precision);
std::string_view describe(AttentionBackend backend);
std::string_view describe(Variant variant);
std::string_view describe(Collectives collectives);
std::string_view describe(Sharding sharding);
std::string_view describe(Scheme scheme);

struct ModelShape {
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t vocab = 0;

  bool operator==(const ModelShape&) const = default;
};

/// The measurement of one causal attention without a network at several sequence lengths.
struct AttentionSweep {
  AttentionMethod method = AttentionMethod::kSynced;
  AttentionBackend backend = AttentionBackend::kEager;
  std::int64_t head_dim = 0;
  std::int64_t heads = 1;
  std::vector<std::int64_t> lengths = {};  ///< Tokens, shortest first; at most `kMostLengths`.
};

inline constexpr std::size_t kMostLengths = 16;

/// The parameters of a cell. Parameters that the kind does not use stay absent.
struct CellSpec {
  CellKind kind = CellKind::kTiming;
  DeviceKind device = DeviceKind::kCuda;
  std::string size;  ///< The edition's name for `model`: a label that does not enter the id.
  /// Names the network's implementation; empty for labreport's own. See `ModelSource`.
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
  /// Kind `checkpointing` only: consecutive blocks that form a group. Only the group's input is
  /// kept, and backward runs the group again. Absent if everything is kept.
  std::optional<std::int64_t> group = {};
  std::optional<Ranks> ranks = {};  ///< Absent for a single process.
  /// Kind `all_reduce` only: bytes of the largest tensor.
  std::optional<std::int64_t> largest = {};
  std::optional<Sharding> sharding = {};  ///< Kind `sharding` only.
  std::optional<Scheme> scheme = {};      ///< Kind `data_parallel` only.
  /// Schemes with buckets only: the most bytes in one bucket.
  std::optional<std::int64_t> bucket = {};
};

/// True if autocast is on: matrix products take 16-bit operands.
bool under_autocast(const CellSpec& spec);

/// True if both cells run the same network on batches of the same shape.
bool same_network(const CellSpec& a, const CellSpec& b);
/// True if same_network() holds and both cells have the same precision.
bool same_setting(const CellSpec& a, const CellSpec& b);

/// True if an upper estimate of the bytes of all tensors of the cell is below 10^16, the largest
/// integer that a run may hold. Each quantity of src/plan then fits in 64 bits.
bool is_countable(const CellSpec& spec);

/// Returns a readable slug of kind and parameters, safe as a file name, e.g.
/// "timing.cuda.d768-f3072-l12-h12-v10000.b4.c512.fp32.forward_backward.w5.n10". Two specs have the
/// same id exactly if they differ at most in `size`.
std::string cell_id(const CellSpec& spec);

}  // namespace labreport
