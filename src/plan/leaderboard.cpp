#include "plan/leaderboard.h"

#include <algorithm>

#include "plan/editions.h"
#include "results/leaderboard_rung.h"

namespace labreport::leaderboard {
namespace {

constexpr std::int64_t kBf16Bytes = 2, kFp32Bytes = 4;
constexpr std::int64_t kTokensOfChunk = 4096;  // TOKENS_OF_CHUNK of labreport_leaderboard.py

std::int64_t tokens_of(const CellSpec& spec) { return *spec.batch * *spec.context; }

/// Returns the bytes that all blocks keep for backward.
std::int64_t bytes_kept_by_blocks(LeaderboardRung rung, const CellSpec& spec) {
  const ModelShape& shape = *spec.model;
  const std::int64_t residual = kBf16Bytes * tokens_of(spec) * shape.d_model;
  const std::int64_t inner = kBf16Bytes * tokens_of(spec) * shape.d_ff;
  // Each of the two norms keeps its input, scaled and unscaled, in FP32, and the next operator the
  // norm's output; attention keeps q, k, v and its output; SwiGLU keeps five tensors.
  if (rung < LeaderboardRung::kCheckpointed) return shape.layers * (14 * residual + 5 * inner);
  // Saved products come on top, in as many blocks as the memory allows, which may be none.
  const bool keeps_attention = rung >= LeaderboardRung::kSavedAttention;
  return shape.layers * (keeps_attention ? 2 : 1) * residual;
}

/// Returns the bytes of the head and the loss.
std::int64_t bytes_in_loss(LeaderboardRung rung, const CellSpec& spec) {
  const std::int64_t vocab = spec.model->vocab;
  if (rung < LeaderboardRung::kFusedHead) {
    // In FP32, logits, their shifted copy, its exponentials and the logarithms are there at once.
    return 4 * kFp32Bytes * tokens_of(spec) * vocab;
  }
  const std::int64_t chunk = std::min(tokens_of(spec), kTokensOfChunk);
  const bool is_compiled = rung >= LeaderboardRung::kCompiled;
  const std::int64_t bytes_of_logit =
      is_compiled ? 2 * kBf16Bytes : 2 * kBf16Bytes + 2 * kFp32Bytes;
  return bytes_of_logit * chunk * vocab + kFp32Bytes * vocab * spec.model->d_model;
}

}  // namespace

double product_flops(const CellSpec& spec) {
  const ModelShape& shape = *spec.model;
  const auto width = static_cast<double>(shape.d_model);
  const double weights_of_block = width * (4 * width + 3 * static_cast<double>(shape.d_ff));
  const double weights = static_cast<double>(shape.layers) * weights_of_block +
                         width * static_cast<double>(shape.vocab);
  return 6 * weights * static_cast<double>(*spec.batch * *spec.context);
}

double causal_attention_flops(const CellSpec& spec) {
  const auto context = static_cast<double>(*spec.context);
  const auto layers_and_sequences = static_cast<double>(spec.model->layers * *spec.batch);
  const double forward = 4 * context * context * static_cast<double>(spec.model->d_model) / 2;
  return 3.5 * layers_and_sequences * forward;
}

std::optional<std::int64_t> least_peak_bytes(const CellSpec& spec) {
  const auto rung = leaderboard_rung(spec);
  if (!rung || !spec.model || !spec.batch || !spec.context) return std::nullopt;
  const std::int64_t ranks = spec.ranks.value_or(Ranks{1}).count;
  const bool is_sharded = *rung >= LeaderboardRung::kSharded;
  const std::int64_t weights_and_moments = 3 * kBf16Bytes * parameter_count(*spec.model);
  const std::int64_t embedding_and_head = 2 * kBf16Bytes * spec.model->vocab * spec.model->d_model;
  return weights_and_moments / (is_sharded ? ranks : 1) +
         (is_sharded && ranks > 1 ? embedding_and_head : 0) + bytes_kept_by_blocks(*rung, spec) +
         bytes_in_loss(*rung, spec);
}

}  // namespace labreport::leaderboard
