#include "results/cell.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "base/table.h"
#include "results/run_json_keys.h"

namespace labreport {
namespace {

constexpr Names<CellKind, 13> kKinds{{{CellKind::kTiming, "timing"},
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
                                      {CellKind::kDataParallel, "data_parallel"}}};
constexpr Names<DeviceKind, 2> kDevices{{{DeviceKind::kCuda, "cuda"}, {DeviceKind::kCpu, "cpu"}}};
constexpr Names<Precision, 4> kPrecisions{{{Precision::kFp32, "fp32"},
                                           {Precision::kTf32, "tf32"},
                                           {Precision::kBf16, "bf16"},
                                           {Precision::kFp16, "fp16"}}};
constexpr Names<Mode, 4> kModeNames{{{Mode::kInference, "inference"},
                                     {Mode::kForward, "forward"},
                                     {Mode::kForwardBackward, "forward_backward"},
                                     {Mode::kTrainStep, "train_step"}}};
constexpr Names<AttentionMethod, 3> kMethodNames{{{AttentionMethod::kSynced, "synced"},
                                                  {AttentionMethod::kDoBench, "do_bench"},
                                                  {AttentionMethod::kLeaderboard, "leaderboard"}}};
constexpr Names<AttentionBackend, 6> kBackendNames{{{AttentionBackend::kEager, "eager"},
                                                    {AttentionBackend::kFlash, "flash"},
                                                    {AttentionBackend::kEfficient, "efficient"},
                                                    {AttentionBackend::kCudnn, "cudnn"},
                                                    {AttentionBackend::kMath, "math"},
                                                    {AttentionBackend::kCustom, "custom"}}};
constexpr Names<AttentionBackend, 6> kBackendWords{
    {{AttentionBackend::kEager, "eager"},
     {AttentionBackend::kFlash, "SDPA flash"},
     {AttentionBackend::kEfficient, "SDPA efficient"},
     {AttentionBackend::kCudnn, "SDPA cuDNN"},
     {AttentionBackend::kMath, "SDPA math"},
     {AttentionBackend::kCustom, "custom"}}};
constexpr Names<Variant, 5> kVariantNames{{{Variant::kEinsum, "einsum"},
                                           {Variant::kMatmul, "matmul"},
                                           {Variant::kSdpa, "sdpa"},
                                           {Variant::kFusedAdamW, "fused_adamw"},
                                           {Variant::kCudaGraph, "cuda_graph"}}};
constexpr Names<Variant, 5> kVariantWords{{{Variant::kEinsum, "einsum"},
                                           {Variant::kMatmul, "matmul"},
                                           {Variant::kSdpa, "SDPA"},
                                           {Variant::kFusedAdamW, "fused AdamW"},
                                           {Variant::kCudaGraph, "CUDA graph"}}};
constexpr Names<Collectives, 2> kCollectivesNames{
    {{Collectives::kNccl, "nccl"}, {Collectives::kGloo, "gloo"}}};
constexpr Names<Collectives, 2> kCollectivesWords{
    {{Collectives::kNccl, "NCCL"}, {Collectives::kGloo, "Gloo"}}};
constexpr Names<Sharding, 3> kShardingNames{{{Sharding::kNone, "none"},
                                             {Sharding::kOptimizer, "optimizer"},
                                             {Sharding::kWeights, "weights"}}};
constexpr Names<Sharding, 3> kShardingWords{{{Sharding::kNone, "nothing sharded"},
                                             {Sharding::kOptimizer, "optimizer state sharded"},
                                             {Sharding::kWeights, "weights sharded (FSDP)"}}};
constexpr Names<Scheme, 6> kSchemeNames{{{Scheme::kNone, "none"},
                                         {Scheme::kPerParameter, "per_parameter"},
                                         {Scheme::kFlat, "flat"},
                                         {Scheme::kOverlapped, "overlapped"},
                                         {Scheme::kBucketed, "bucketed"},
                                         {Scheme::kReducer, "reducer"}}};
constexpr Names<Scheme, 6> kSchemeWords{{{Scheme::kNone, "no communication"},
                                         {Scheme::kPerParameter, "per parameter"},
                                         {Scheme::kFlat, "flat"},
                                         {Scheme::kOverlapped, "overlapped"},
                                         {Scheme::kBucketed, "buckets"},
                                         {Scheme::kReducer, "PyTorch's Reducer"}}};
constexpr Names<Mode, 4> kModeWords{{{Mode::kInference, "inference"},
                                     {Mode::kForward, "forward"},
                                     {Mode::kForwardBackward, "forward+backward"},
                                     {Mode::kTrainStep, "training step"}}};
constexpr Names<Precision, 4> kPrecisionWords{{{Precision::kFp32, "FP32"},
                                               {Precision::kTf32, "TF32"},
                                               {Precision::kBf16, "BF16"},
                                               {Precision::kFp16, "FP16"}}};

std::string id_text(std::int64_t number) { return std::to_string(number); }
std::string id_text(const std::string& text) { return text; }
std::string id_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, "-"));
}
template <typename Enum>
  requires std::is_enum_v<Enum>
std::string id_text(Enum value) {
  return std::string(name(value));
}
template <typename Value>
std::string id_text(const std::optional<Value>& value) {
  return id_text(*value);
}

}  // namespace

std::string_view name(CellKind kind) { return name_in(kKinds, kind); }
std::string_view name(DeviceKind device) { return name_in(kDevices, device); }
std::string_view name(Precision precision) { return name_in(kPrecisions, precision); }
std::string_view name(Mode mode) { return name_in(kModeNames, mode); }
std::string_view name(AttentionMethod method) { return name_in(kMethodNames, method); }
std::string_view name(AttentionBackend backend) { return name_in(kBackendNames, backend); }
std::string_view name(Variant variant) { return name_in(kVariantNames, variant); }
std::string_view name(Collectives collectives) { return name_in(kCollectivesNames, collectives); }
std::string_view name(Sharding sharding) { return name_in(kShardingNames, sharding); }
std::string_view name(Scheme scheme) { return name_in(kSchemeNames, scheme); }

CellKind parse_cell_kind(std::string_view text) { return parse_name(kKinds, "cell kind", text); }
DeviceKind parse_device_kind(std::string_view text) { return parse_name(kDevices, "device", text); }
Precision parse_precision(std::string_view text) {
  return parse_name(kPrecisions, "precision", text);
}
Mode parse_mode(std::string_view text) { return parse_name(kModeNames, "mode", text); }
AttentionMethod parse_attention_method(std::string_view text) {
  return parse_name(kMethodNames, "method", text);
}
AttentionBackend parse_attention_backend(std::string_view text) {
  return parse_name(kBackendNames, "backend", text);
}
Variant parse_variant(std::string_view text) { return parse_name(kVariantNames, "variant", text); }
Collectives parse_collectives(std::string_view text) {
  return parse_name(kCollectivesNames, "collectives", text);
}
Sharding parse_sharding(std::string_view text) {
  return parse_name(kShardingNames, "sharding", text);
}
Scheme parse_scheme(std::string_view text) { return parse_name(kSchemeNames, "scheme", text); }

std::string_view describe(Mode mode) { return name_in(kModeWords, mode); }
std::string_view describe(Precision precision) { return name_in(kPrecisionWords, precision); }
std::string_view describe(AttentionBackend backend) { return name_in(kBackendWords, backend); }
std::string_view describe(Variant variant) { return name_in(kVariantWords, variant); }
std::string_view describe(Collectives collectives) {
  return name_in(kCollectivesWords, collectives);
}
std::string_view describe(Sharding sharding) { return name_in(kShardingWords, sharding); }
std::string_view describe(Scheme scheme) { return name_in(kSchemeWords, scheme); }

bool under_autocast(const CellSpec& spec) {
  return spec.precision == Precision::kBf16 || spec.precision == Precision::kFp16;
}

bool same_network_and_batch(const CellSpec& a, const CellSpec& b) {
  return a.implementation == b.implementation && a.model == b.model && a.context == b.context &&
         a.batch == b.batch;
}

bool same_setting(const CellSpec& a, const CellSpec& b) {
  return same_network_and_batch(a, b) && a.precision == b.precision;
}

bool bytes_are_countable(const CellSpec& spec) {
  const auto batch = static_cast<double>(spec.batch.value_or(1));
  if (spec.attention) {
    double longest = 0;
    for (const std::int64_t length : spec.attention->lengths) {
      longest = std::max(longest, static_cast<double>(length));
    }
    const double rows = batch * static_cast<double>(spec.attention->heads) * longest;
    return 64 * rows * (longest + static_cast<double>(spec.attention->head_dim)) < 1e16;
  }
  const auto ranks = static_cast<double>(spec.ranks.value_or(Ranks{1}).count);
  if (ranks * static_cast<double>(spec.largest_bytes.value_or(0)) >= 1e16) return false;
  const ModelShape shape = spec.model.value_or(ModelShape{});
  const auto d = static_cast<double>(shape.d_model);
  const auto context = static_cast<double>(spec.context.value_or(1));
  const double tokens = batch * context;
  const double widths = d + static_cast<double>(shape.d_ff) + static_cast<double>(shape.vocab);
  const double pairs = (tokens * static_cast<double>(shape.heads) + context) * context;
  // The tensors of a block, the output layer and the loss together take at most 80 bytes for each
  // element of a weight or an activation, and 16 for each pair of tokens in each head.
  const double bytes = 80 * (tokens + d) * widths + 16 * pairs;
  return std::max(1.0, static_cast<double>(shape.layers)) * bytes < 1e16;
}

std::string cell_id(const CellSpec& spec) {
  std::string id(name(spec.kind));
  for_each_param(&spec, [&](const auto& param, const auto* value) {
    if (param.id_prefix == nullptr || value == nullptr || is_empty(*value)) return;
    id += param.id_prefix + id_text(*value);
  });
  return id;
}

}  // namespace labreport
