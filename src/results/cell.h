// A cell: one measurement, named by its kind and parameters and by nothing else.
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

/// What one step does. The first two run the network only; the others add loss and backward.
enum class Mode {
  kInference,        ///< forward under no_grad
  kForward,          ///< forward while autograd records
  kForwardBackward,  ///< forward, loss, backward
  kTrainStep,        ///< forward, loss, backward, AdamW
};

/// Each holds what the one before it holds, and more.
inline constexpr std::array kModes{Mode::kInference, Mode::kForward, Mode::kForwardBackward,
                                   Mode::kTrainStep};

/// How one attention is timed.
enum class AttentionMethod {
  kSynced,       ///< Each pass by the host's clock, the device synchronized after it.
  kDoBench,      ///< As triton.testing.do_bench: 25 ms of warm-up, 100 ms of repeats, L2 flushed.
  kLeaderboard,  ///< The same for 1 s and 10 s, forward and backward of the output's sum alone.
};

/// Who computes it: the network's own operators, a backend of
/// scaled_dot_product_attention, or what the user wrote.
enum class AttentionBackend { kEager, kFlash, kEfficient, kCudnn, kMath, kCustom };

/// How the training step of a ladder is written. Each holds what those before it hold.
enum class Variant {
  kEinsum,      ///< Linear layers as einsum("... i, o i -> ... o"), attention and AdamW by hand.
  kMatmul,      ///< Linear layers as matmul: labreport's network as every other kind measures it.
  kSdpa,        ///< Attention by scaled_dot_product_attention.
  kFusedAdamW,  ///< The optimizer as one fused kernel for many parameters.
  kCudaGraph,   ///< The whole step captured once and replayed as a CUDA graph.
};

inline constexpr std::array kVariants{Variant::kEinsum, Variant::kMatmul, Variant::kSdpa,
                                      Variant::kFusedAdamW, Variant::kCudaGraph};

/// Which library carries data between processes.
enum class Collectives { kNccl, kGloo };

/// What ranks that train together hold a share of instead of a copy.
enum class Sharding {
  kNone,       ///< Nothing: each rank has it all.
  kOptimizer,  ///< The optimizer's state: each steps its own parameters and sends them.
  kWeights,    ///< Weights of linear layers and the embedding too, with gradients and state.
};

inline constexpr std::array kShardings{Sharding::kNone, Sharding::kOptimizer, Sharding::kWeights};

/// Several processes that measure together: one a GPU, or all of them on the CPU.
struct Ranks {
  std::int64_t count = 0;
  Collectives collectives = Collectives::kNccl;

  bool operator==(const Ranks&) const = default;
};

/// How the ranks of a data-parallel training step average their gradients. Ordered as the handout
/// comes to them.
enum class Scheme {
  kNone,          ///< Not at all: the step that the others are held against.
  kPerParameter,  ///< After backward, one all-reduce a parameter.
  kFlat,          ///< After backward, one all-reduce of all gradients in one tensor.
  kOverlapped,    ///< One a parameter, begun as soon as its gradient is there.
  kBucketed,      ///< The same for buckets of gradients, in reverse order of the parameters.
  kReducer,       ///< PyTorch's own `c10d::Reducer`, which is inside DistributedDataParallel.
};

inline constexpr std::array kSchemes{Scheme::kNone,       Scheme::kPerParameter, Scheme::kFlat,
                                     Scheme::kOverlapped, Scheme::kBucketed,     Scheme::kReducer};

/// Each name is the one used in JSON, flags and slugs; `parse_*` throws `InputError` with the
/// nearest valid names.
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

/// In words for readers: "forward+backward", "training step"; "FP32".
std::string_view describe(Mode mode);
std::string_view describe(Precision precision);
std::string_view describe(AttentionBackend backend);
std::string_view describe(Variant variant);
std::string_view describe(Collectives collectives);
std::string_view describe(Sharding sharding);
std::string_view describe(Scheme scheme);

/// Hyper-parameters of the network.
struct ModelShape {
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t vocab = 0;

  bool operator==(const ModelShape&) const = default;
};

/// One causal attention by itself, at each of several sequence lengths.
struct AttentionSweep {
  AttentionMethod method = AttentionMethod::kSynced;
  AttentionBackend backend = AttentionBackend::kEager;
  std::int64_t head_dim = 0;
  std::int64_t heads = 1;
  std::vector<std::int64_t> lengths = {};  ///< Tokens, shortest first; at most `kMostLengths`.
};

inline constexpr std::size_t kMostLengths = 16;

/// The parameters of a cell. What a kind does not use stays absent.
struct CellSpec {
  CellKind kind = CellKind::kTiming;
  DeviceKind device = DeviceKind::kCuda;
  std::string size;  ///< The edition's name for `model`: a label, no part of the identity.
  /// Whose network it is; empty: labreport's own. See `ModelSource`.
  std::string implementation = {};
  std::optional<ModelShape> model;
  std::optional<std::int64_t> context;
  std::optional<std::int64_t> batch;  ///< Of cells with ranks: of each rank.
  std::optional<Precision> precision;
  std::optional<Mode> mode;
  std::optional<std::int64_t> warmup;  ///< Steps run first and not counted.
  std::optional<std::int64_t> steps;   ///< Steps counted.
  std::optional<AttentionSweep> attention = {};
  std::optional<Variant> variant = {};  ///< Of kind `ladder` alone.
  /// Of kind `checkpointing` alone: consecutive blocks of which backward keeps the input, and runs
  /// them again; absent: it keeps all.
  std::optional<std::int64_t> group = {};
  std::optional<Ranks> ranks = {};           ///< Absent: one process by itself.
  std::optional<std::int64_t> largest = {};  ///< Of kind `all_reduce` alone: bytes of a tensor.
  std::optional<Sharding> sharding = {};     ///< Of kind `sharding` alone.
  std::optional<Scheme> scheme = {};         ///< Of kind `data_parallel` alone.
  std::optional<std::int64_t> bucket = {};   ///< Of schemes with buckets: bytes of one at most.
};

/// Autocast is on: products take 16-bit operands.
bool under_autocast(const CellSpec& spec);

/// The same model on batches of the same shape.
bool same_network(const CellSpec& a, const CellSpec& b);
/// That in the same precision.
bool same_setting(const CellSpec& a, const CellSpec& b);

/// Whether the bytes of all its tensors together are below 10^16, the most that a run may hold of
/// anything: 64 bits hold each quantity of src/plan.
bool is_countable(const CellSpec& spec);

/// A readable slug of kind and parameters, safe as a file name, e.g.
/// "timing.cuda.d768-f3072-l12-h12-v10000.b4.c512.fp32.forward_backward.w5.n10".
/// Two specs have the same id exactly when they differ at most in `size`.
std::string cell_id(const CellSpec& spec);

}  // namespace labreport
